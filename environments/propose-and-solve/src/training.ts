const config = { maxNumber: 9, maxOperators: 2 };

/**
 * The recipe for a tiny model, with numbers of one digit: it learns both roles from careless players, then plays all seats. The
 * usefulness of a proposal depends on the solvers at that moment, so advantages are not divided by the deviation of their group.
 */
export default {
  seed: 1,
  threads: 1,
  model: { vocabulary: 256 },
  phases: {
    sft: {
      kind: "sft",
      data: {
        policy: "careless(0.1)",
        selfPlay: true,
        includeDuplicates: true,
        examples: 1000,
        config: { ...config, examples: 1000 },
      },
      epochs: 9,
      optimizer: { learningRate: 3e-3 },
    },
    rl: {
      kind: "rl",
      steps: 100,
      selfPlay: true,
      sources: [{ groups: 8, config }],
      rolloutsPerExample: 8,
      maxTokens: 40,
      advantage: { estimator: "dr_grpo" },
      loss: { name: "cispo", klCoefficient: 0.02 },
      evaluateEvery: 25,
    },
  },
  evaluations: [
    {
      name: "itself",
      config,
      examples: 20,
      selfPlay: true,
      temperature: 1,
      maxTokens: 40,
      columns: { useful: "useful", proposed: "proposed", solved: "solved" },
    },
  ],
};
