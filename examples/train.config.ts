// A training recipe. Run it: `envs train ./examples/tictactoe-simple.ts --config examples/train.config.ts`.
import { defineTraining } from "@envs/trainer";

export default defineTraining({
  seed: 1,
  model: { vocabulary: 96, width: 64, layers: 2, context: 256 },
  phases: {
    sft: {
      kind: "sft",
      data: { policy: "centre", examples: 1000, where: "win == 1" },
      epochs: 6,
      optimizer: { learningRate: 3e-3 },
    },
    rl: {
      kind: "rl",
      steps: 60,
      sources: [{ groups: 16 }],
      rolloutsPerExample: 16,
      maxTokens: 24,
      advantage: { credit: "turn", combine: "replace", observation: "message" },
      loss: { name: "cispo", entropyTarget: 0.3 },
    },
  },
  stages: [{ name: "all", examples: 250, columns: { win: "win", format: "format" } }],
});
