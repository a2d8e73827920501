import { defineEnvironment, end } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { TinyModel } from "@envs/tiny-model";
import { expect, onTestFinished, test } from "vitest";

import { smallCheckpoint } from "../../../tiny-model/test/small-model.ts";
import { sequencesOf, tinyBackend, train, trainingPlan } from "../../src/index.ts";

/** An environment that asks the sub-model about each reply. */
const recursive = defineEnvironment({
  name: "recursive",
  dataset: () => [{ prompt: "Hi" }],
  subModel: { maxCalls: 1 },
  async respond({ reply, subModel }) {
    await subModel(`About ${reply}`);
    return end();
  },
  episode: { maxTurns: 1 },
  rubric: { length: ({ reply }) => reply.length },
});

const planWith = (branches: boolean) =>
  trainingPlan.parse({
    phases: {
      learn: {
        kind: "rl",
        steps: 1,
        sources: [{ groups: 1 }],
        rolloutsPerExample: 2,
        maxTokens: 8,
        dropZeroVariance: false,
        branches,
      },
    },
  });

async function startTraining(branches: boolean, subModel?: ReturnType<typeof scriptedModel>) {
  const model = await TinyModel.start("small", smallCheckpoint(), { threads: 1, slots: 8 });
  onTestFinished(() => model.close());
  const backend = tinyBackend(model);
  const plan = planWith(branches);
  return train({ factory: recursive, backend, plan, subModel, chats: async () => [] });
}

test.each([true, false])("trains on sub-model calls if branches is %s", async (branches) => {
  for await (const event of await startTraining(branches)) {
    if (event.type !== "step") continue;
    const { rollouts, tokens } = event.report;
    expect(rollouts.map((played) => played.branches?.length)).toEqual([1, 1]);
    const trained = rollouts.flatMap((played) => sequencesOf(played, { branches }));
    expect(trained).toHaveLength(branches ? 4 : 2);
    expect(tokens).toBe(trained.reduce((sum, { ids }) => sum + ids.length - 1, 0));
  }
  expect.assertions(3);
});

test("does not train on the calls of another model", async () => {
  const training = await startTraining(true, scriptedModel("Yes."));
  await expect(training.next()).rejects.toThrow(
    "The phase learn trains on sub-model calls (branches), but scripted answers them.",
  );
});
