import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../command.ts";
import { evaluated, lettersPackage } from "../../evaluation/letters.ts";

test("envs run rescore scores a run with the present rubric, and never writes over a folder", async () => {
  const root = await lettersPackage();
  const save = await temporaryFolder();
  const run = await evaluated([root, "-r", "1", "--save", save]);
  const same = await envs(["run", "rescore", run]);
  expect(same.code, same.stderr).toBe(0);
  expect(same.stdout).toContain("policy:right: 4 rescored, 0 with other scores");
  expect(same.stdout).toContain("All rewards are the same.");

  await writeFile(join(root, "dist/grade.js"), "export const grade = () => 0.5;\n");
  const out = join(save, "new");
  const changed = await envs(["run", "rescore", run, "--out", out, "--json"]);
  expect(JSON.parse(changed.stdout)).toMatchObject({
    runs: [{ rescored: out, counts: { scored: 4, changed: 4, diverged: 0 } }],
    scores: expect.arrayContaining([
      { name: "right", changed: 4, before: 1, after: 0.5, largest: 0.5 },
    ]),
  });
  const again = await envs(["run", "rescore", run, "--out", out]);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(`${out} exists. Pass another folder: --out <folder>`);
});
