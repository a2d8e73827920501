import { bootstrapMean, type Interval } from "./intervals/bootstrap.ts";

/** What a run achieved on one example. */
interface ExampleMean {
  readonly exampleKey: string;
  readonly exampleIndex: number;
  /** A hash of the example, if it is known: other seeds may generate other examples with the same id. */
  readonly content?: string | null | undefined;
  /** The mean value; null if no rollout has one. */
  readonly mean: number | null;
}

/** One example in two runs. */
export interface PairedExample<Result extends ExampleMean = ExampleMean> {
  readonly exampleKey: string;
  readonly exampleIndex: number;
  readonly baseline: Result;
  readonly other: Result;
  /** The mean in the other run minus that in the baseline. */
  readonly difference: number;
}

/** The difference between a run and the baseline, on the examples for which both have a value. */
export interface PairedRuns<Result extends ExampleMean = ExampleMean> {
  /** The interval of the mean difference. Null for fewer than two shared examples. */
  readonly interval: Interval | null;
  readonly better: number;
  readonly worse: number;
  readonly equal: number;
  /** Sorted by difference, regressions first. */
  readonly examples: readonly PairedExample<Result>[];
  /** Examples of which only one of the runs has a value. */
  readonly unpaired: number;
}

/**
 * Compares two runs example by example. Differences on the same examples vary less than the means of the runs, so they reveal
 * smaller improvements.
 */
export function pairExamples<Result extends ExampleMean>(
  before: readonly Result[],
  after: readonly Result[],
): PairedRuns<Result> {
  const byKey = new Map(after.map((result) => [result.exampleKey, result]));
  const examples = before.flatMap((baseline): PairedExample<Result>[] => {
    const other = byKey.get(baseline.exampleKey);
    if (baseline.mean === null || other === undefined || other.mean === null) return [];
    if ((baseline.content ?? other.content) !== (other.content ?? baseline.content)) return [];
    const { exampleKey, exampleIndex } = baseline;
    const difference = other.mean - baseline.mean;
    return [{ exampleKey, exampleIndex, baseline, other, difference }];
  });
  const keys = new Set([...before, ...after].map(({ exampleKey }) => exampleKey));
  return {
    interval: bootstrapMean(examples.map(({ difference }) => [difference])) ?? null,
    better: examples.filter(({ difference }) => difference > 0).length,
    worse: examples.filter(({ difference }) => difference < 0).length,
    equal: examples.filter(({ difference }) => difference === 0).length,
    examples: examples.toSorted((a, b) => a.difference - b.difference),
    unpaired: keys.size - examples.length,
  };
}
