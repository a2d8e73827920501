import { defineEnvironment } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { openai } from "@envs/models";
import { modelServer } from "@envs/models/testing";
import { expect, onTestFinished, test } from "vitest";

import { collectGroups } from "../../src/train/collect-groups.ts";
import { runEvaluations } from "../../src/train/evaluations.ts";
import { trainingPlan } from "../../src/train/plan.ts";

const verse = defineEnvironment({
  name: "verse",
  dataset: () => [{ prompt: "Write a line." }],
  episode: { maxTurns: 1 },
  rubric: {
    rhymes: {
      needs: ["judge"],
      async score({ reply, judge }) {
        const { message } = await judge!({ messages: [{ role: "user", content: reply }] });
        return message.content === "yes";
      },
    },
  },
});

const plan = trainingPlan.parse({
  phases: { rl: { kind: "rl", steps: 1, sources: [{ groups: 1 }], rolloutsPerExample: 4 } },
  evaluations: [{ name: "verse", examples: 1 }],
});
const { signal } = new AbortController();

test("training and its evaluations ask a judge over HTTP", async () => {
  const server = await modelServer({ name: "careful" });
  onTestFinished(() => server.close());
  const judge = openai("careful", { baseURL: server.url });
  const shared = { factory: verse, judge, signal };
  const phase = plan.phases["rl"]!;
  if (phase.kind !== "rl") throw new Error("The phase is not rl.");
  let replies = 0;
  const model = scriptedModel(() => ((replies += 1) === 1 ? "yes" : "no"));
  const { groups } = await collectGroups({ ...shared, model, phase, seed: "0", step: 0 });
  const rewards = groups.flat().map((rollout) => rollout.status === "scored" && rollout.reward);
  expect(rewards.toSorted()).toEqual([0, 0, 0, 1]);
  expect(server.requests).toBe(2);
  const evaluation = { ...shared, model: scriptedModel("yes"), seed: 0 };
  const [result] = await runEvaluations(plan.evaluations, evaluation);
  expect(result?.summary.reward.mean).toBe(1);
});
