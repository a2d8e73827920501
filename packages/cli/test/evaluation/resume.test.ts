import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../command.ts";
import { cutRun, evaluated, lettersPackage, promptsOf, rowsOf } from "./letters.ts";

test("envs eval does not resume a run of an environment whose imports have changed", async () => {
  const root = await lettersPackage();
  const run = await evaluated([root, "--save", await temporaryFolder()]);
  await cutRun(run, 5);
  await writeFile(join(root, "dist/grade.js"), "export const grade = () => 0;\n");
  const { code, stderr } = await envs(["eval", "--resume", run]);
  expect(code).toBe(2);
  expect(stderr).toContain("has changed since the run started (dist/grade.js)");
  expect(await promptsOf(run)).toHaveLength(5);
});

test("envs eval does not count saved rollouts of changed examples, and applies -c", async () => {
  const file = join(await temporaryFolder(), "rows.json");
  await writeFile(file, JSON.stringify(rowsOf("abcd")));
  const options = ["--file", file, "-r", "2", "--save", await temporaryFolder()];
  const run = await evaluated([await lettersPackage(), ...options]);
  await writeFile(file, JSON.stringify(rowsOf("abxe")));
  const { stdout, stderr } = await envs(["eval", "--resume", run, "-c", "1"]);
  expect(stderr).toContain("4 saved rollouts do not count");
  expect(stdout).toContain("8 scored, 0 failed");
  expect(await promptsOf(run)).toEqual("aabbxxee");
});
