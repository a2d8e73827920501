import type { Model } from "@envs/core";

import { walk } from "./exact/walk.ts";

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

/** What both phases of reinforcement share. */
const reinforcement = {
  kind: "rl",
  rolloutsPerExample: 16,
  shuffle: false,
  maxTokens: 48,
  advantage: { credit: "turn", combine: "replace" },
  dropZeroVariance: false,
  evaluateEvery: 50,
  checkpointEvery: 50,
};

/** Beyond winning: thoughts that stay true, and wins without detours. */
const aims = { faithfulWeight: 0.3, speedBonus: 0.2 };

/** Opponents of every skill, and positions that openings seldom lead to. */
const everyone = {
  sources: [
    groups(16, { ...aims, maxRandomMoveProb: 0.3 }),
    groups(16, { ...aims, minRandomMoveProb: 0.6 }),
    groups(16, { ...aims, start: "any" }),
  ],
};

/**
 * How a tiny model learns the game, phase by phase: form and facts from a careless teacher, then play from its own games,
 * first against opponents of middling skill, then against all, and at last more daringly.
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
      ...everyone,
      steps: 400,
      loss: { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.005 },
      optimizer: { learningRate: 5e-4 },
    },
    rl3: {
      ...reinforcement,
      ...everyone,
      steps: 200,
      temperature: 1.3,
      loss: { name: "cispo", epsilonHigh: 1.28, entropyCoefficient: 0.002 },
      optimizer: { learningRate: 4e-4 },
    },
  },
  evaluations: measurements(256, [1]),
  stages: measurements(1000, [1, 0]),

  /** Every line of play at temperature 0, over all answers of the opponent. */
  async exact(model: Model) {
    const { signal } = new AbortController();
    const sampling = { temperature: 0, maxTokens: 48 };
    const tallies = await walk(
      (conversations) =>
        Promise.all(
          conversations.map(async (messages) => {
            const { message } = await model({ messages, sampling, signal });
            return message.content;
          }),
        ),
      { opponents: ["random", "minimax"] },
    );
    return Object.fromEntries(
      Object.entries({ random: tallies["random"], optimal: tallies["minimax"] }).flatMap(
        ([name, tally]) => {
          if (tally === undefined) return [];
          const { win, draw, loss, invalid, lines, losingLines, missedWins } = tally;
          const note = `${losingLines.length} losing of ${lines} lines, ${missedWins.length} wins not taken the shortest way`;
          return [[name, { shares: { win, draw, loss, invalid }, note }]];
        },
      ),
    );
  },
};
