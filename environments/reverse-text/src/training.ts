const config = { minLength: 4, maxLength: 6 };
const shared = {
  // Gradients of adapters are small: with the default of 1e-8, AdamW would hardly move.
  optimizer: { learningRate: 2e-4, epsilon: 1e-12 },
  schedule: { warmup: 0, shape: "constant" },
  checkpointEvery: 1,
};

/**
 * The recipe for an adapter of a real model on this machine: three steps teach the form of an answer, then it learns from rewards on
 * short words.
 */
export default {
  seed: 1,
  model: { localModel: "HuggingFaceTB/SmolLM2-135M-Instruct", contextLength: 192 },
  phases: {
    sft: {
      kind: "sft",
      data: { policy: "perfect", examples: 16, config },
      epochs: 3,
      batchSize: 16,
      ...shared,
      optimizer: { learningRate: 5e-4, epsilon: 1e-12 },
    },
    rl: {
      kind: "rl",
      steps: 40,
      sources: [{ config, groups: 4 }],
      rolloutsPerExample: 8,
      maxTokens: 32,
      loss: { name: "cispo" },
      minibatches: 1,
      ...shared,
      keepRolloutsEvery: 10,
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
};
