import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../command.ts";
import { lettersPackage } from "../../evaluation/letters.ts";

test("envs run replay compares saved runs with the changed environment", async () => {
  const root = await lettersPackage();
  const save = await temporaryFolder();
  await envs(["eval", root, "-m", "policy:right", "-r", "2", "--save", save, "--quiet"]);
  const same = await envs(["run", "replay", root, "--save", save]);
  expect(same.code, same.stderr).toBe(0);
  expect(same.stdout).toContain("8 rollouts replayed: 0 with other scores");
  expect(same.stdout).toContain("All rewards are the same");

  await writeFile(join(root, "dist/grade.js"), "export const grade = () => 0.5;\n");
  const { stdout } = await envs(["run", "replay", root, "--save", save]);
  expect(stdout).toContain("8 rollouts replayed: 8 with other scores");
  expect(stdout).toMatch(/reward +8 +1\.000 +0\.500 +0\.500/);
  expect(stdout).toContain("publish a major version");
  const json = await envs(["run", "replay", root, "--save", save, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ rollouts: 8, rescored: 8, isSame: false });
});

test("envs run replay rejects a folder without runs, and a run of another environment", async () => {
  const root = await lettersPackage();
  const save = await temporaryFolder();
  const none = await envs(["run", "replay", root, "--save", save]);
  expect(none.code).toBe(1);
  expect(none.stderr).toContain(`No saved runs of letters found in ${save}`);
  const eval_ = ["eval", "reverse-text", "-m", "policy:perfect", "-n", "1", "-r", "1"];
  const { stdout } = await envs([...eval_, "--save", save, "--json"]);
  const { run } = JSON.parse(stdout) as { readonly run: string };
  const other = await envs(["run", "replay", root, "--run", run]);
  expect(other.stderr).toContain("is a run of reverse-text, not of letters");
});
