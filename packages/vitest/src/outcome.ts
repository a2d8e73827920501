import type { Rollout, ScoredRollout } from "@envs/core";
import { passAtK, passHatK } from "@envs/core/engine";
import { bootstrapMean, type ShareInterval, wilsonInterval } from "@envs/records";

/**
 * The result of an example's trials. `flaky`: some pass. `broken`: none passes. `failed`: a trial could not be finished, so its
 * reward is unknown.
 */
export type Verdict = "passed" | "flaky" | "broken" | "failed";

/** The trials of one example. */
export interface ExampleOutcome {
  readonly key: string;
  readonly index: number;
  readonly verdict: Verdict;
  /** In the order of their indices. */
  readonly trials: readonly Rollout[];
  readonly scored: number;
  readonly passed: number;
}

/** An estimate with its 95 % interval over the examples. */
export interface Estimate extends ShareInterval {
  readonly mean: number;
  /** The number of examples that it is based on. */
  readonly examples: number;
}

/** The results of a model on several examples. */
export interface Outcome {
  /** In dataset order. */
  readonly examples: readonly ExampleOutcome[];
  /** The most trials that an example has. */
  readonly trials: number;
  /** The number of examples with each verdict. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** The probability that one trial passes. */
  readonly passRate: Estimate;
  /** The probability that at least one of `k` trials passes. Throws a `RangeError` if no example has `k` scored trials. */
  passAtK(k: number): Estimate;
  /** The probability that all of `k` trials pass. Throws a `RangeError` if no example has `k` scored trials. */
  passHatK(k: number): Estimate;
  /** The mean reward; `undefined` for fewer than two examples, which have no interval. */
  readonly reward: Estimate | undefined;
}

/** Groups rollouts by example and estimates how reliably they pass. Failed rollouts count in no estimate. */
export function outcomeOf(
  rollouts: readonly Rollout[],
  { passThreshold = 0.5 }: { readonly passThreshold?: number | undefined } = {},
): Outcome {
  const examples = [...Map.groupBy(rollouts, ({ exampleKey }) => exampleKey).values()]
    .map((trials) => exampleOutcome(trials, passThreshold))
    .toSorted((a, b) => a.index - b.index);
  const count = (verdict: Verdict): number =>
    examples.filter((example) => example.verdict === verdict).length;
  const estimate = (
    k: number,
    of: (scored: number, passed: number, k: number) => number,
  ): Estimate => {
    const eligible = examples.filter(({ scored }) => scored >= k);
    if (eligible.length === 0 && k > 1) {
      const remedy = examples.some(({ trials }) => trials.length >= k)
        ? "Find out first why trials failed."
        : `Raise trials to at least ${k}.`;
      throw new RangeError(`No example has ${k} scored trials. ${remedy}`);
    }
    const sum = eligible.reduce((total, { scored, passed }) => total + of(scored, passed, k), 0);
    const mean = eligible.length === 0 ? 0 : sum / eligible.length;
    return { mean, examples: eligible.length, ...wilsonInterval(mean, eligible.length) };
  };
  return {
    examples,
    trials: examples.reduce((most, { trials }) => Math.max(most, trials.length), 0),
    verdicts: {
      passed: count("passed"),
      flaky: count("flaky"),
      broken: count("broken"),
      failed: count("failed"),
    },
    passRate: estimate(1, passAtK),
    passAtK: (k) => estimate(k, passAtK),
    passHatK: (k) => estimate(k, passHatK),
    reward: rewardOf(examples),
  };
}

/** The rollouts that have a reward. */
export function scoredOf(rollouts: readonly Rollout[]): readonly ScoredRollout[] {
  return rollouts.filter((rollout) => rollout.status === "scored");
}

function exampleOutcome(unordered: readonly Rollout[], passThreshold: number): ExampleOutcome {
  const trials = unordered.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex);
  const scored = scoredOf(trials);
  const passed = scored.filter(({ reward }) => reward >= passThreshold).length;
  const [{ exampleKey, exampleIndex }] = trials as [Rollout];
  return {
    key: exampleKey,
    index: exampleIndex,
    verdict: verdictOf({ trials: trials.length, scored: scored.length, passed }),
    trials,
    scored: scored.length,
    passed,
  };
}

function verdictOf(counts: {
  readonly trials: number;
  readonly scored: number;
  readonly passed: number;
}): Verdict {
  if (counts.scored < counts.trials) return "failed";
  if (counts.passed === counts.trials) return "passed";
  return counts.passed === 0 ? "broken" : "flaky";
}

function rewardOf(examples: readonly ExampleOutcome[]): Estimate | undefined {
  const groups = examples.map(({ trials }) => scoredOf(trials).map(({ reward }) => reward));
  const interval = bootstrapMean(groups);
  const filled = groups.filter((rewards) => rewards.length > 0).length;
  return interval === undefined ? undefined : { ...interval, examples: filled };
}
