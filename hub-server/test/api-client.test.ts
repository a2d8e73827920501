import { format } from "node:util";

import { afterEach, expect, test, vi } from "vitest";

import { anyDatabase, testHub } from "./support/hub.ts";
import { seedEnvironment } from "./support/seed-environment.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("the program in the client's README prints the output shown there", async () => {
  await using server = await testHub(anyDatabase);
  const envs = await server.createUser("envs");
  await seedEnvironment(server.hub, envs, {
    bare: "tictactoe",
    manifest: { description: "Get three in a row.", tags: ["game"] },
  });
  let text = "";
  vi.spyOn(console, "log").mockImplementation((...values: unknown[]) => {
    text += `${format(...values)}\n`;
  });
  vi.spyOn(process, "argv", "get").mockReturnValue(["node", "program", server.url]);
  const program = "../../packages/hub-client/test/find-environments.ts";
  await import(program);
  expect(text).toBe(`@envs/tictactoe@1.0.0 Get three in a row.
multi-turn: 1
404 not-found @envs/checkers is not on this hub.
`);
});
