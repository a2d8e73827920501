import { expect, test } from "vitest";

import { testMachine } from "./machine.ts";

test("envs hub server passes all arguments to the hub's program, --help included", async () => {
  await using machine = await testMachine();
  const help = await machine.envs(["hub", "server", "--help"]);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("envs-hub <command>") });
  const failed = await machine.envs(["hub", "server", "backup", "--data", "nowhere", "file"]);
  expect(failed).toMatchObject({ code: 2, stderr: expect.stringContaining("nowhere") });
});
