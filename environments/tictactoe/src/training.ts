import { exactFigures } from "./exact/figures.ts";

const columns = {
  win: "won",
  draw: "draw",
  loss: "loss",
  format: "format",
  invalid: "invalid",
  faithful: "faithful",
};

const rivals = {
  random: { minRandomMoveProb: 1 },
  optimal: { maxRandomMoveProb: 0 },
};

const measurements = (examples: number, temperatures: readonly number[]) =>
  Object.entries(rivals).flatMap(([opponent, config]) =>
    temperatures.map((temperature) => ({
      name: temperature === 1 ? opponent : `${opponent}, T ${temperature}`,
      config: { ...config, examples },
      examples,
      temperature,
      maxTokens: 48,
      columns,
    })),
  );

const groups = (count: number, config: Readonly<Record<string, unknown>>) => ({
  groups: count,
  config: { examples: count, numGroups: count, maxTurns: 7, ...config },
});

/** The settings of all RL phases. */
const reinforcement = {
  kind: "rl",
  rolloutsPerExample: 16,
  shuffle: false,
  maxTokens: 48,
  advantage: { credit: "turn", combine: "replace", observation: "message" },
  dropZeroVariance: false,
  evaluateEvery: 50,
  checkpointEvery: 50,
};

/** Rewards beyond winning: true thoughts, and wins without detours. */
const bonuses = { faithfulWeight: 0.3, speedBonus: 0.2 };

/** Opponents of all skills, and positions that games from the opening rarely reach. */
const allOpponents = {
  sources: [
    groups(16, { ...bonuses, maxRandomMoveProb: 0.3 }),
    groups(16, { ...bonuses, minRandomMoveProb: 0.6 }),
    groups(16, { ...bonuses, start: "any" }),
  ],
};

/**
 * The recipe for a tiny model: it learns format and facts from a careless teacher, then play from its own games, first against
 * opponents of medium skill, then against all, and finally at a higher temperature.
 */
export default {
  seed: 1,
  threads: 2,
  model: { from: "tiny:base" },
  phases: {
    sft: {
      kind: "sft",
      data: {
        policy: "careless",
        examples: 4000,
        config: { examples: 4000 },
        where: "win > 0 && format == 1",
      },
      epochs: 30,
      batchSize: 32,
      optimizer: { learningRate: 3e-3 },
      schedule: { annealFrom: 0.5 },
    },
    rl: {
      ...reinforcement,
      steps: 280,
      sources: [groups(32, { minRandomMoveProb: 0.2, maxRandomMoveProb: 0.7 })],
      loss: { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.015 },
      optimizer: { learningRate: 8e-4 },
    },
    rl2: {
      ...reinforcement,
      ...allOpponents,
      steps: 400,
      loss: { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.005 },
      optimizer: { learningRate: 5e-4 },
    },
    rl3: {
      ...reinforcement,
      ...allOpponents,
      steps: 200,
      temperature: 1.3,
      loss: { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.002 },
      optimizer: { learningRate: 4e-4 },
    },
  },
  evaluations: measurements(256, [1]),
  stages: measurements(1000, [1, 0]),

  exact: exactFigures,
};
