import { defineEnvironment, mix } from "@envs/core";
import { TinyModel } from "@envs/tiny-model";
import { expect, test } from "vitest";

import { smallCheckpoint } from "../../../tiny-model/test/small-model.ts";
import { tinyBackend, train, trainingPlan } from "../../src/index.ts";

const part = (name: string, prompt: string) =>
  defineEnvironment({
    name,
    dataset: () => [{ prompt }],
    rubric: { [name]: ({ reply }: { readonly reply: string }) => reply.length },
  });

test("trains on the parts of a mix, each with its own reward", async () => {
  const both = mix({
    name: "both",
    parts: { long: { environment: part("long", "Hi") }, wide: { environment: part("wide", "Yo") } },
  });
  const model = await TinyModel.start("small", smallCheckpoint(), { threads: 1, slots: 8 });
  try {
    const rl = { kind: "rl", steps: 1, sources: [{ groups: 2 }], rolloutsPerExample: 2 } as const;
    const plan = trainingPlan.parse({
      phases: { rl: { ...rl, maxTokens: 8, dropZeroVariance: false } },
    });
    const backend = tinyBackend(model);
    for await (const event of train({ factory: both, backend, plan, chats: async () => [] })) {
      if (event.type !== "step") continue;
      const { rollouts } = event.report;
      expect(new Set(rollouts.map((played) => played.part))).toEqual(new Set(["long", "wide"]));
      for (const played of rollouts) {
        if (played.status === "failed") throw new Error(played.error.message);
        expect(played.reward).toBe(played.scores[played.part!]);
      }
    }
    expect.assertions(5);
  } finally {
    await model.close();
  }
});
