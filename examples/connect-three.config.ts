// A tiny model learns connect three from games of random moves, then from its own. Run it:
// `envs train ./examples/connect-three.ts --config examples/connect-three.config.ts`.
import { defineTraining } from "@envs/trainer";

export default defineTraining({
  seed: 1,
  threads: 1,
  model: { vocabulary: 128 },
  phases: {
    sft: {
      kind: "sft",
      data: { policy: "random", examples: 1500 },
      optimizer: { learningRate: 3e-3 },
    },
    rl: {
      kind: "rl",
      steps: 100,
      sources: [{ groups: 16 }],
      maxTokens: 8,
      optimizer: { learningRate: 2e-3 },
      // Each message shows the whole board, so turns with the same board are compared.
      advantage: { credit: "turn", combine: "replace", observation: "message" },
      loss: { name: "cispo", entropyTarget: 0.1 },
    },
  },
  stages: [{ name: "random", examples: 500, columns: { win: "win", format: "format" } }],
});
