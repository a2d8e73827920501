// A model that knows the game and not only its messages: it imitates the optimal policy in every position, then in whole games,
// with many wordings and drawings, and finally learns from its own games. docs/experiments/tictactoe.md has the results.
// Run: envs train tictactoe --config examples/every-position.config.ts
import recipe from "@envs/tictactoe/training";

const varied = { wording: "varied", drawing: "varied" };
const rounds = 20;
const games = 100_000;

const imitation = { kind: "sft", schedule: { annealFrom: 0.3 }, checkpointEvery: 500 };
const bonuses = { faithfulWeight: 0.3, speedBonus: 0.2 };
const groups = (config: Readonly<Record<string, unknown>>) => ({
  groups: 16,
  config: { examples: 16, numGroups: 16, maxTurns: 7, ...bonuses, ...varied, ...config },
});

export default {
  ...recipe,
  model: {
    vocabulary: 768,
    pieces: "clauses",
    width: 64,
    layers: 3,
    heads: 4,
    hidden: 256,
    context: 384,
  },
  phases: {
    sft: {
      ...imitation,
      data: {
        policy: "optimal",
        examples: 4520 * rounds,
        config: { start: "every", rounds, ...varied },
      },
      epochs: 4,
      batchSize: 64,
      optimizer: { learningRate: 3e-3 },
    },
    games: {
      ...imitation,
      data: {
        policy: "optimal",
        examples: games,
        config: { start: "any", examples: games, ...varied },
      },
      epochs: 2,
      batchSize: 64,
      optimizer: { learningRate: 2e-3 },
    },
    rl: {
      kind: "rl",
      steps: 200,
      sources: [
        groups({ maxRandomMoveProb: 0.3 }),
        groups({ minRandomMoveProb: 0.6 }),
        groups({ start: "any" }),
        groups({ start: "any", wording: "standard", drawing: "standard" }),
      ],
      rolloutsPerExample: 8,
      shuffle: false,
      maxTokens: 48,
      advantage: { credit: "turn", combine: "replace", observation: "message" },
      loss: { name: "cispo", epsilonHigh: 1.28 },
      optimizer: { learningRate: 4e-4 },
    },
  },
};
