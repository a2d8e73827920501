// Iterate over rollouts as they finish. Leaving the loop stops the others, so the dataset may be infinite.
import { defineEnvironment, policy, rollouts } from "@envs/core";
import { summarizer } from "@envs/core/engine";

const coins = defineEnvironment({
  name: "coins",
  *dataset({ random }) {
    for (let flip = 0; ; flip += 1)
      yield { prompt: "Heads or tails?", flip, side: random.pick(["heads", "tails"]) };
  },
  rubric: { right: ({ reply, example }) => Number(reply === example.side) },
  policies: { guess: ({ random }) => random.pick(["heads", "tails"]) },
});

// #region stream
const environment = coins();
const sum = summarizer(environment);

/** Plays until the mean is known to within 0.05, at 95 %. */
for await (const rollout of rollouts(environment, {
  model: policy("guess"),
  examples: Infinity,
  rolloutsPerExample: 1,
})) {
  sum.add(rollout);
  const { count, std } = sum.summary().scores.right;
  if (count >= 100 && (1.96 * (std ?? 1)) / Math.sqrt(count) < 0.05) break;
}
// #endregion

const { mean, count } = sum.summary().scores.right;
console.log(
  `${count} flips, ${Math.abs((mean ?? 0) - 0.5) < 0.05 ? "a fair coin" : `mean ${mean}`}`,
);
