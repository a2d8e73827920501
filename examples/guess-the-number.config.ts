// A tiny model learns to guess a number by halves, from a teacher who often guesses at random. Run it:
// `envs train ./examples/guess-the-number.ts --config examples/guess-the-number.config.ts`.
import { defineTraining } from "@envs/trainer";

const config = { most: 30 };
/** The number of guesses that halving needs, so that any detour may lose the game. */
const maxTurns = 5;

export default defineTraining({
  seed: 1,
  threads: 1,
  model: { vocabulary: 96, context: 96 },
  phases: {
    sft: {
      kind: "sft",
      // Keeps duplicates: each of the 30 games without a mistake occurs often, and the model must learn how often.
      data: { policy: "careless", examples: 2000, config, includeDuplicates: true },
      epochs: 8,
      optimizer: { learningRate: 3e-3 },
    },
    rl: {
      kind: "rl",
      steps: 60,
      // Many secrets per step: the 8 rollouts of a group share theirs.
      sources: [{ config, groups: 32 }],
      rolloutsPerExample: 8,
      maxTurns,
      maxTokens: 8,
      optimizer: { learningRate: 2e-3 },
      advantage: { credit: "turn", combine: "replace" },
      loss: { name: "cispo", entropyTarget: 0.1 },
    },
  },
  stages: [
    {
      name: "five guesses",
      config,
      maxTurns,
      examples: 500,
      columns: { found: "found", format: "format" },
    },
  ],
});
