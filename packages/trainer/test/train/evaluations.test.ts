import { defineEnvironment } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { expect, test } from "vitest";

import { runEvaluations } from "../../src/train/evaluations.ts";
import { trainingPlan } from "../../src/train/plan.ts";

const { evaluations } = trainingPlan.parse({
  phases: { rl: { kind: "rl", steps: 1, sources: [{ groups: 1 }] } },
  evaluations: [{ name: "poems", examples: 2 }],
});
const poems = (failing: readonly string[]) =>
  defineEnvironment({
    name: "poems",
    dataset: () => [{ prompt: "one" }, { prompt: "two" }],
    setup({ example }) {
      if (failing.includes(example.prompt)) throw new Error("no paper");
    },
    episode: { maxTurns: 1 },
    rubric: { long: ({ reply }) => Number(reply.length > 2) },
  });
const shared = { model: scriptedModel("rose"), seed: 0, signal: new AbortController().signal };

test("stops the run if every rollout of an evaluation fails", async () => {
  await expect(
    runEvaluations(evaluations, { ...shared, factory: poems(["one", "two"]) }),
  ).rejects.toThrow(
    /All 2 rollouts of the evaluation poems failed. The first failed with \w+: .*no paper/u,
  );
});

test("averages the other rollouts if some of an evaluation fail", async () => {
  const [result] = await runEvaluations(evaluations, { ...shared, factory: poems(["one"]) });
  expect(result?.summary.reward.mean).toBe(1);
});
