import type { Rollout } from "@envs/core";
import { exampleHash, type Interval, pairExamples } from "@envs/records";
import type { StoredRun } from "@envs/records/node";

import { fieldValue, scoreNames } from "../runs/rollout-fields.ts";
import { UsageError } from "../terminal/errors.ts";
import { differencesOf } from "./differences.ts";

/** One value in two runs, on the examples for which both runs have it. */
export interface ComparedValue {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  /** The interval of the difference; null for fewer than two shared examples. */
  readonly interval: Interval | null;
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
  readonly examples: number;
}

/** An example whose decisive value fell. */
export interface Regression {
  readonly exampleKey: string;
  readonly exampleIndex: number;
  readonly before: number;
  readonly after: number;
}

/**
 * The result for the decisive value. `better`, `worse`: the interval of its difference excludes 0. `same`: with `maxDrop`, the
 * interval excludes a greater drop. `unclear`: the interval allows both.
 */
export type ComparisonVerdict = "better" | "worse" | "same" | "unclear";

/** Two runs, compared example by example. */
export interface RunComparison {
  readonly environment: string;
  readonly models: readonly [string, string];
  readonly verdict: ComparisonVerdict;
  /** Whether CI should fail. */
  readonly isRegression: boolean;
  /** The decisive value, then the other scores, then the tokens of a rollout. */
  readonly values: readonly ComparedValue[];
  /** The ten greatest, in descending order. */
  readonly regressions: readonly Regression[];
  readonly failed: readonly [number, number];
  /** Examples that only one of the runs has scored. */
  readonly unpaired: number;
  /** The settings in which the runs differ. */
  readonly differences: readonly string[];
}

export interface CompareOptions {
  /** The decisive value: `reward` or the name of a score. */
  readonly score: string;
  /** The greatest drop that is accepted. Without it, a drop is a regression only if the interval excludes 0. */
  readonly maxDrop?: number | undefined;
}

/** Compares two runs of one environment. Throws a `UsageError` if no example can decide. */
export function compareRuns(
  [before, after]: readonly [StoredRun, StoredRun],
  { score, maxDrop }: CompareOptions,
): RunComparison {
  const environment = before.metadata.env_id;
  if (after.metadata.env_id !== environment)
    throw new UsageError(
      `The runs are of ${environment} and of ${after.metadata.env_id}. Compare runs of one environment.`,
    );
  const scores = [...new Set([before, after].flatMap(({ rollouts }) => scoreNames(rollouts)))];
  const names = ["reward", ...scores];
  if (!names.includes(score))
    throw new UsageError(
      `No score named ${JSON.stringify(score)}. The runs have: ${names.join(", ")}.`,
    );
  const ordered = [score, ...names.filter((name) => name !== score), "tokens"];
  const values = ordered.map((name) => compareValue(name, before.rollouts, after.rollouts));
  const decisive = values[0]!;
  if (decisive.examples < 2)
    throw new UsageError(
      `The runs have ${decisive.examples} scored ${decisive.examples === 1 ? "example" : "examples"} in common, and a comparison needs at least 2. Play the same examples: the same seed, split, selection and config.`,
    );
  const paired = pairExamples(means(before.rollouts, score), means(after.rollouts, score));
  const verdict = verdictOf(decisive.interval!, maxDrop);
  return {
    environment,
    models: [before.metadata.model, after.metadata.model],
    verdict,
    isRegression: verdict === "worse" || (maxDrop !== undefined && verdict === "unclear"),
    values: values.filter(({ examples }) => examples > 0),
    regressions: paired.examples
      .filter(({ difference }) => difference < 0)
      .slice(0, 10)
      .map(({ exampleKey, exampleIndex, baseline, other }) => ({
        exampleKey,
        exampleIndex,
        before: baseline.mean!,
        after: other.mean!,
      })),
    failed: [failures(before.rollouts), failures(after.rollouts)],
    unpaired: paired.unpaired,
    differences: differencesOf(before.metadata, after.metadata),
  };
}

/** With a maximum drop, a run is not worse if the interval excludes a greater drop, even if it also excludes 0. */
function verdictOf({ low, high }: Interval, maxDrop: number | undefined): ComparisonVerdict {
  if (low > 0) return "better";
  if (maxDrop === undefined) {
    if (high < 0) return "worse";
    return low === 0 && high === 0 ? "same" : "unclear";
  }
  if (low >= -maxDrop) return "same";
  return high < -maxDrop ? "worse" : "unclear";
}

function compareValue(
  name: string,
  before: readonly Rollout[],
  after: readonly Rollout[],
): ComparedValue {
  const { examples, interval, better, worse, equal } = pairExamples(
    means(before, name),
    means(after, name),
  );
  return {
    name,
    before: average(examples.map(({ baseline }) => baseline.mean!)),
    after: average(examples.map(({ other }) => other.mean!)),
    interval,
    better,
    worse,
    equal,
    examples: examples.length,
  };
}

function means(rollouts: readonly Rollout[], name: string) {
  const groups = Map.groupBy(rollouts, ({ exampleKey }) => exampleKey);
  return [...groups].map(([exampleKey, group]) => {
    const values = group.flatMap((rollout) => {
      const value = rollout.status === "scored" ? fieldValue(rollout, name) : null;
      return typeof value === "number" ? [value] : [];
    });
    const { exampleIndex, example } = group[0]!;
    return { exampleKey, exampleIndex, content: exampleHash(example), mean: average(values) };
  });
}

function average(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function failures(rollouts: readonly Rollout[]): number {
  return rollouts.filter(({ status }) => status === "failed").length;
}
