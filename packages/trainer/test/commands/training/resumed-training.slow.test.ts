import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../../cli/test/command.ts";
import { lettersPackage } from "../../../../cli/test/evaluation/letters.ts";

const recipe = (epochs: number) =>
  `export default ${JSON.stringify({
    seed: 7,
    threads: 1,
    model: { width: 16, layers: 1, heads: 1, hidden: 16, context: 64 },
    phases: {
      sft: { kind: "sft", data: { policy: "right", examples: 4 }, epochs, batchSize: 4 },
    },
  })};\n`;

/** Trains a tiny model for one step. */
async function trained() {
  const root = await lettersPackage();
  const save = await temporaryFolder();
  const config = join(save, "recipe.mjs");
  await writeFile(config, recipe(1));
  const args = ["train", root, "--config", config, "--save", save];
  const { stdout, stderr } = await envs([...args, "--json"]);
  if (stdout === "") throw new Error(stderr);
  const { run } = JSON.parse(stdout) as { readonly run: string };
  return { root, config, run };
}

test("envs train --resume accepts the options of the run and rejects others by name", async () => {
  const { root, config, run } = await trained();
  const same = ["--seed", "7", "--threads", "1", "--phases", "sft", "--config", config];
  expect((await envs(["train", root, "--resume", run, ...same, "--quiet"])).stderr).not.toContain(
    "Cannot resume",
  );

  await writeFile(config, recipe(2));
  const others = ["--seed", "8", "--threads", "2", "--from", "tiny:base", "--config", config];
  const { code, stderr } = await envs(["train", "--resume", run, ...others]);
  expect(code).toBe(2);
  for (const conflict of [
    "--seed is 8, but the run has 7",
    "--threads is 2, but the run has 1",
    "--from is tiny:base, but the run has a new model",
    "--config is another recipe than the run's",
  ])
    expect(stderr).toContain(conflict);
});

test("envs train --resume rejects another or a changed environment", async () => {
  const { root, run } = await trained();
  const other = await envs(["train", "./environments/reverse-text", "--resume", run]);
  expect(other.stderr).toContain("the environment is reverse-text, but the run has letters");

  const file = join(root, "dist/grade.js");
  await writeFile(file, `${await readFile(file, "utf8")}\n`);
  const { code, stderr } = await envs(["train", "--resume", run]);
  expect(code).toBe(2);
  expect(stderr).toContain("has changed since the run started (dist/grade.js)");
  expect(stderr).toContain("--from");
});
