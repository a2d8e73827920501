import { expect, test } from "vitest";

import { smallModel } from "./small-model.ts";

const request = (seed: number, promptIds: readonly number[] = [3, 1, 4, 1, 5]) => ({
  promptIds,
  maxTokens: 12,
  temperature: 0.9,
  topP: 1,
  seed,
});

test.for([{}, { num_key_value_heads: 1 }, { model_type: "qwen2", tie_word_embeddings: false }])(
  "samples with the log-probabilities that training computes (%j)",
  (changes) => {
    const { model } = smallModel(changes);
    const requests = [1, 2, 3].map((seed) =>
      request(seed, [seed, 7, 9 + seed, 2].slice(0, 2 + seed)),
    );
    for (const [index, { ids, logprobs }] of model.sample(requests).entries()) {
      const { promptIds, temperature } = requests[index]!;
      const tokens = [...promptIds, ...ids];
      const targets = Int32Array.from(tokens.slice(1));
      const [output] = model.forward([
        {
          inputs: Int32Array.from(tokens.slice(0, -1)),
          targets,
          weights: Float32Array.from(targets, (_, at) => (at < promptIds.length - 1 ? 0 : 1)),
          temperature,
        },
      ]);
      for (const [at, logprob] of logprobs.entries())
        expect(output!.logprobs[promptIds.length - 1 + at]).toBeCloseTo(logprob, 4);
    }
  },
);

test("a completion depends on its seed, not on its batch", () => {
  const { model } = smallModel();
  const alone = [1, 2, 3, 4].map((seed) => model.sample([request(seed)])[0]!);
  expect(model.sample([1, 2, 3, 4].map((seed) => request(seed)))).toEqual(alone);
  expect(new Set(alone.map(({ ids }) => ids.join())).size).toBeGreaterThan(1);
});
