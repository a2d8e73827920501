import { defineEnvironment, evaluate } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { withPrompts } from "@envs/optimize";
import { expect, test } from "vitest";

import { replayRecorded } from "../../src/reward-diff/replay-recorded.ts";

const polite = defineEnvironment({
  name: "polite",
  systemPrompt: "Answer.",
  dataset: () => [{ prompt: "Hello." }],
  rubric: { asked: ({ prompt }) => prompt[0]?.content === "Answer politely." },
});

test("replays a run with the prompts that it was played with", async () => {
  const prompts = { systemPrompt: "Answer politely." };
  const environment = withPrompts(polite(), prompts);
  const { rollouts } = await evaluate(environment, {
    model: scriptedModel("Hi."),
    rolloutsPerExample: 1,
  });
  const run = { model: "m", config: {}, seed: 0, split: undefined, maxTurns: undefined, rollouts };
  const file = { environment: "polite", prompts };
  expect(await replayRecorded(polite, [{ ...run, prompts: file }])).toMatchObject({ isSame: true });
  expect(await replayRecorded(polite, [run])).toMatchObject({ isSame: false });
});
