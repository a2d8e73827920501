import type { Model } from "@envs/core";

import { exploitability, gameValue, modelStrategy, valueOf } from "./exact.ts";

/** The value of the hands that a model plays against itself, and its loss to an opponent who knows its strategy. */
async function exact(model: Model) {
  const { strategy, illegal } = await modelStrategy(model);
  const chips = (value: number): string => value.toFixed(3);
  const value = valueOf(strategy, strategy);
  return {
    itself: {
      shares: {
        illegal,
        "J bets": strategy("J", []),
        "K bets": strategy("K", []),
        "J bluffs": strategy("J", ["check"]),
        "Q calls": strategy("Q", ["bet"]),
      },
      note: `against itself, player0 wins ${chips(value)} chips per hand (equilibrium ${chips(gameValue)}); ${chips(exploitability(strategy))} chips exploitable`,
    },
  };
}

/**
 * The recipe for a tiny model: it learns replies from an honest player with half of its actions at random, then plays itself. The
 * penalty for leaving this teacher keeps its bluffs random: without it, each seat answers the last habit of the other, and the
 * strategies run in circles around the equilibrium. Advantages are not divided by the deviation of their group, because the
 * deals differ in their stakes.
 */
export default {
  seed: 1,
  threads: 1,
  model: { vocabulary: 256 },
  phases: {
    sft: {
      kind: "sft",
      data: {
        policy: "honest(0.5)",
        selfPlay: true,
        includeDuplicates: true,
        examples: 1200,
        config: { examples: 1200 },
      },
      epochs: 4,
      optimizer: { learningRate: 3e-3 },
    },
    rl: {
      kind: "rl",
      steps: 200,
      selfPlay: true,
      sources: [{ groups: 24 }],
      rolloutsPerExample: 16,
      shuffle: false,
      maxTokens: 24,
      advantage: { estimator: "dr_grpo" },
      loss: { name: "cispo", klCoefficient: 0.3 },
      minibatches: 1,
      dropZeroVariance: false,
      evaluateEvery: 50,
    },
  },
  stages: [
    {
      name: "equilibrium",
      config: { examples: 600 },
      examples: 600,
      rolloutsPerExample: 2,
      rotateSeats: true,
      temperature: 1,
      columns: { payoff: "payoff", won: "won", forfeit: "forfeit" },
    },
  ],
  exact,
};
