import { expect, test } from "vitest";

import { workplace } from "./workplace.ts";

test("what follows envs hub is for the hub's own program, its help too", async () => {
  await using at = await workplace();
  const help = await at.envs(["hub", "--help"]);
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("envs-hub <command>") });
  const wrong = await at.envs(["hub", "backup", "--data", "nowhere", "file"]);
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("holds no hub") });
});
