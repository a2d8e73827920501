import { type Interval, pairExamples } from "@envs/records";

import type { RolloutRow } from "../run/run.ts";
import { rowValue } from "./select-rows.ts";
import { mean } from "./statistics.ts";

/** An example that both runs played. */
export interface Pair {
  readonly key: string;
  readonly example: string;
  readonly first: PairSide;
  readonly second: PairSide;
  /** The second run's mean minus the first run's. */
  readonly difference: number;
}

export interface PairSide {
  readonly rows: readonly RolloutRow[];
  readonly mean: number;
}

export interface Comparison {
  /** The greatest regressions of the second run first. */
  readonly pairs: readonly Pair[];
  /** The means over the rollouts of the common examples, each example with the same weight. */
  readonly means: readonly [number | null, number | null];
  readonly difference: number | null;
  /** The 95 % bootstrap interval of the difference, resampled by example. */
  readonly interval: Interval | null;
  readonly worse: number;
  readonly better: number;
  readonly equal: number;
  /** Examples that only one of the runs scored. */
  readonly only: readonly [number, number];
  /** All values of the score, for the distributions. */
  readonly values: readonly [readonly number[], readonly number[]];
}

/** Compares two runs by a score, or by `reward`, example by example. */
export function compareRuns(
  first: readonly RolloutRow[],
  second: readonly RolloutRow[],
  score: string,
): Comparison {
  const sides = [sidesOf(first, score), sidesOf(second, score)] as const;
  const { examples, interval, better, worse, equal } = pairExamples(...sides);
  const pairs = examples.map(({ exampleKey: key, baseline, other, difference }): Pair => ({
    key,
    example: baseline.rows[0]!.example,
    first: baseline,
    second: other,
    difference,
  }));
  return {
    pairs,
    means: [
      mean(pairs.map((pair) => pair.first.mean)),
      mean(pairs.map((pair) => pair.second.mean)),
    ],
    difference: mean(pairs.map(({ difference }) => difference)),
    interval,
    worse,
    better,
    equal,
    only: [sides[0].length - pairs.length, sides[1].length - pairs.length],
    values: [valuesOf(first, score), valuesOf(second, score)],
  };
}

function sidesOf(rows: readonly RolloutRow[], score: string) {
  const groups = Map.groupBy(rows, ({ key }) => key);
  return [...groups].flatMap(([exampleKey, group]) => {
    const average = mean(valuesOf(group, score));
    const exampleIndex = Number(group[0]!.example);
    return average === null ? [] : [{ exampleKey, exampleIndex, rows: group, mean: average }];
  });
}

function valuesOf(rows: readonly RolloutRow[], score: string): readonly number[] {
  return rows.flatMap((row) => {
    const value = row.status === "scored" ? rowValue(row, score) : null;
    return typeof value === "number" ? [value] : [];
  });
}
