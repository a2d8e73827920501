import { join } from "node:path";

import { findTrainingRuns, readMetrics } from "@envs/trainer/node";
import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../../cli/test/command.ts";

test("a tiny model learns to propose tasks and to solve them, then trains both by self-play", async () => {
  const save = await temporaryFolder();
  const recipe = "./packages/trainer/test/commands/fixtures/propose-few-steps.config.ts";
  const args = ["--config", recipe, "--quiet", "--save", save];
  const { code, stderr } = await envs(["train", "./environments/propose-and-solve", ...args]);
  expect(code, stderr).toBe(0);
  const [run = ""] = await findTrainingRuns(save, "propose-and-solve");
  const rows = await readMetrics(join(run, "metrics.jsonl"));
  const steps = rows.filter(({ kind }) => kind === "rl").map(({ values }) => values);
  expect(steps).toHaveLength(3);
  // Solvers are trained only on tasks that proposers wrote.
  expect(Math.max(...steps.map((step) => step["score/proposed"]!))).toBeGreaterThan(0);
  expect(Math.max(...steps.map((step) => step["tokens/trained"]!))).toBeGreaterThan(0);
});
