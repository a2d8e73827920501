// A training recipe for a large model on a service. Run it: see docs/guides/train-a-large-model.md.
import { defineTraining } from "@envs/trainer";

const config = { minLength: 4, maxLength: 6 };
const shared = {
  // Gradients of adapters are small: with the default of 1e-8, AdamW would hardly move.
  optimizer: { learningRate: 2e-4, epsilon: 1e-12 },
  schedule: { warmup: 0, shape: "constant" as const },
};

export default defineTraining({
  seed: 1,
  model: { baseModel: "HuggingFaceTB/SmolLM2-135M-Instruct", loraRank: 16, contextLength: 192 },
  phases: {
    // Three steps teach the form of an answer.
    sft: {
      kind: "sft",
      data: { policy: "perfect", examples: 16, config },
      epochs: 3,
      batchSize: 16,
      ...shared,
      optimizer: { learningRate: 5e-4, epsilon: 1e-12 },
      checkpointEvery: 1,
    },
    rl: {
      kind: "rl",
      steps: 16,
      sources: [{ config, groups: 4 }],
      rolloutsPerExample: 8,
      maxTokens: 32,
      loss: { name: "cispo" },
      minibatches: 1,
      ...shared,
      checkpointEvery: 1,
      keepRolloutsEvery: 8,
    },
  },
  stages: [
    {
      name: "4–6 letters",
      config,
      examples: 64,
      maxTokens: 32,
      columns: { similarity: "similarity", format: "format", exact: "exact" },
    },
  ],
});
