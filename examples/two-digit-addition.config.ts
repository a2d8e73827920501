// A tiny model learns two-digit addition from worked sums. Run it:
// `envs train ./examples/two-digit-addition.ts --config examples/two-digit-addition.config.ts`.
import { defineTraining } from "@envs/trainer";

export default defineTraining({
  seed: 1,
  threads: 1,
  phases: {
    sft: {
      kind: "sft",
      data: { policy: "steps", examples: 4000 },
      epochs: 14,
      optimizer: { learningRate: 3e-3 },
    },
  },
  stages: [
    { name: "held out", config: { heldOut: true }, examples: 500 },
    { name: "training", examples: 500 },
  ],
});
