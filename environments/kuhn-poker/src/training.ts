import type { Model } from "@envs/core";

import { exploitability, gameValue, modelStrategy, valueOf } from "./exact.ts";

/** The value of the hands that a model plays against itself, and what it loses to an opponent who knows it. */
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
 * The recipe for a tiny model: it learns the form of replies from random play in both seats, then plays itself. The entropy
 * target keeps its bluffs random: without it, self-play runs in circles around the equilibrium.
 */
export default {
  seed: 1,
  threads: 1,
  model: { vocabulary: 256 },
  phases: {
    sft: {
      kind: "sft",
      data: {
        policy: "careless",
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
      optimizer: { learningRate: 5e-4 },
      loss: { name: "cispo", entropyCoefficient: 0.02 },
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
