import { defineTraining } from "@envs/trainer";

// A few steps of reinforcement learning from the tiny base model: enough for a curve.
export default defineTraining({
  seed: 1,
  threads: 2,
  model: { from: "tiny:base" },
  phases: {
    rl: {
      kind: "rl",
      steps: 8,
      sources: [{ groups: 6, config: { examples: 6, numGroups: 6, maxTurns: 5 } }],
      rolloutsPerExample: 8,
      maxTokens: 48,
      advantage: { credit: "turn", combine: "replace", observation: "message" },
      loss: { name: "cispo", entropyTarget: 0.3 },
      evaluateEvery: 4,
    },
  },
  stages: [
    {
      name: "random opponent",
      config: { minRandomMoveProb: 1 },
      examples: 20,
      columns: { win: "won" },
    },
  ],
});
