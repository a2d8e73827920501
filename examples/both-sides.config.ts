// A model that plays both sides of tic-tac-toe: it imitates a careless teacher in both seats, then learns from games against
// itself, and in either seat against players of all skills. docs/experiments/self-play.md has the results.
// Run: envs train tictactoe --config examples/both-sides.config.ts
import { figuresBySeat } from "@envs/tictactoe/exact";

/** Rewards beyond winning: true thoughts, and wins without detours. */
const bonuses = { faithfulWeight: 0.3, speedBonus: 0.2 };

const source = (settings: Readonly<Record<string, string>>, start = "any") => ({
  groups: 8,
  config: { examples: 8, numGroups: 8, maxTurns: 7, start, ...bonuses },
  policies: settings,
});

/** Games against itself, from the opening and from any position; then X, and O, against players that move at random now and then. */
const sources = [
  source({}, "opening"),
  source({}),
  source({ O: "opponent" }),
  source({ X: "mixed(0.3)" }),
];

const reinforcement = {
  kind: "rl",
  selfPlay: true,
  sources,
  rolloutsPerExample: 16,
  shuffle: false,
  maxTokens: 48,
  advantage: { credit: "turn", combine: "replace", observation: "message" },
  dropZeroVariance: false,
  evaluateEvery: 50,
};

const columns = { win: "won", draw: "draw", loss: "loss", invalid: "invalid" };
const measurement = { config: { examples: 400 }, examples: 400, maxTokens: 48, columns };
const stages = [
  { name: "itself", selfPlay: true, rotateSeats: true, rolloutsPerExample: 2 },
  { name: "X, random", policies: { O: "random" } },
  { name: "X, optimal", policies: { O: "optimal" } },
  { name: "O, random", policies: { X: "random" } },
  { name: "O, optimal", policies: { X: "optimal" } },
].map((stage) => ({ ...measurement, ...stage }));

export default {
  seed: 1,
  threads: 1,
  model: { vocabulary: 320 },
  phases: {
    sft: {
      kind: "sft",
      data: {
        policy: "careless",
        selfPlay: true,
        examples: 4000,
        config: { examples: 4000 },
        where: "win > 0 && format == 1",
      },
      epochs: 15,
      batchSize: 32,
      optimizer: { learningRate: 3e-3 },
      schedule: { annealFrom: 0.5 },
    },
    rl: {
      ...reinforcement,
      steps: 400,
      loss: { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.01 },
      optimizer: { learningRate: 8e-4 },
    },
    rl2: {
      ...reinforcement,
      steps: 300,
      temperature: 1.3,
      loss: { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.002 },
      optimizer: { learningRate: 4e-4 },
    },
  },
  evaluations: stages.slice(0, 1),
  stages,
  exact: figuresBySeat,
};
