import { beforeAll, expect, test } from "vitest";

import { LoraModel } from "../src/lora-model.ts";
import { readGguf } from "../src/node/gguf.ts";

/** "<|im_start|>user\nWhat is the capital of France ?<|im_end|>\n<|im_start|>assistant\n" */
const prompt = [1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 9148, 2, 198, 1, 520, 9531, 198];
/** "The capital of France is Paris.<|im_end|>" */
const reply = [504, 3575, 282, 4649, 314, 7042, 30, 2];
/** The log-probabilities that transformers 5.24 computes for the tokens after the first, in single precision. */
const expected = [
  -13.943595, -3.321221, -3.841586, -0.823772, -0.615795, -6.152297, -0.073053, -2.623348,
  -6.862084, -1.489742, -0.000066, -0.006883, -0.002702, -0.000007, -0.000413, -0.521046, -0.011107,
  -0.004383, -0.009964, -0.010356, -0.033543, -0.176788, -0.310107,
];
const tokens = [...prompt, ...reply];
const sequence = {
  inputs: Int32Array.from(tokens.slice(0, -1)),
  targets: Int32Array.from(tokens.slice(1)),
  weights: new Float32Array(tokens.length - 1).fill(1),
};

let model: LoraModel;
beforeAll(async () => {
  model = LoraModel.load(await readGguf(process.env["ENVS_MODEL"]!), {
    contextLength: 64,
    slots: 2,
    stopIds: [2],
  });
});

test("computes the log-probabilities that transformers computes", () => {
  const [output] = model.forward([sequence]);
  for (const [at, logprob] of expected.entries())
    expect(Math.abs(output!.logprobs[at]! - logprob), `token ${at + 1}`).toBeLessThan(1e-4);
});

test("answers a question", () => {
  const request = { promptIds: prompt, maxTokens: 20, temperature: 0, topP: 1, seed: 0 };
  expect(model.sample([request])[0]).toMatchObject({ ids: reply, finish: "stop" });
});

test("learns another answer from a few steps", () => {
  const other = {
    ...sequence,
    targets: sequence.targets.slice(),
    weights: sequence.weights.slice(),
  };
  // " Rome" instead of " Paris".
  other.weights.fill(0);
  other.targets[tokens.indexOf(7042) - 1] = 7268;
  other.weights[tokens.indexOf(7042) - 1] = 1;
  const losses = Array.from({ length: 4 }, () => {
    const [result] = model.forwardBackward([other], ({ weights }, { logprobs, entropies }) => ({
      loss: -logprobs.reduce((sum, logprob) => sum + logprob),
      gradLogprobs: weights.map((weight) => -weight),
      gradEntropies: entropies.map(() => 0),
    }));
    model.optimStep({
      learningRate: 1e-3,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: 0,
      clipNorm: 1,
    });
    return result!.loss;
  });
  expect(losses.at(-1)!).toBeLessThan(losses[0]! - 1);
});
