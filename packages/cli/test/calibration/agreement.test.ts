import { expect, test } from "vitest";

import {
  agreementOf,
  baseRateOf,
  confusionOf,
  intervalsOf,
  type LabelledVerdict,
  selfConsistency,
} from "../../src/calibration/agreement.ts";

// The tables and values of Wikipedia's article on Cohen's kappa.
test.for([
  [
    [
      [20, 5],
      [10, 15],
    ],
    0.7,
    0.4,
  ],
  [
    [
      [45, 15],
      [25, 15],
    ],
    0.6,
    0.1304,
  ],
  [
    [
      [25, 35],
      [5, 35],
    ],
    0.6,
    0.2593,
  ],
] as const)("the agreement of %j is %d, and its kappa %d", ([table, agreement, kappa]) => {
  const figures = agreementOf(table);
  expect(figures.agreement).toBeCloseTo(agreement, 12);
  expect(figures.kappa).toBeCloseTo(kappa, 4);
  // With two choices, every disagreement has the same distance.
  expect(figures.weightedKappa).toBeCloseTo(figures.kappa!, 12);
});

// Cohen, Weighted kappa (1968), table 1: the unweighted kappa of 200 diagnoses is 0.492.
test("the kappa of Cohen's three diagnoses is 0.492", () => {
  const table = [
    [88, 10, 2],
    [14, 40, 6],
    [18, 10, 12],
  ];
  expect(agreementOf(table).kappa).toBeCloseTo(0.492, 3);
});

/** Pairs of label and verdict, one for each reply. */
const pairs = (...values: readonly (readonly [number, number])[]): readonly LabelledVerdict[] =>
  values.map(([label, verdict], reply) => ({ reply, label, verdict }));

// Computed by hand: observed 1/4 × 1/4, expected 0.3125; scikit-learn's cohen_kappa_score also returns 0.8.
test("weights a disagreement by the square of its distance", () => {
  const table = confusionOf(pairs([0, 0], [1, 1], [2, 1], [2, 2]), [0, 1, 2]);
  expect(table).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    [0, 1, 1],
  ]);
  expect(agreementOf(table).weightedKappa).toBeCloseTo(0.8, 12);
});

test("a judge that always gives one verdict has a kappa of 0, whatever the base rate", () => {
  const constant = pairs([1, 1], [1, 1], [1, 1], [0, 1]);
  expect(agreementOf(confusionOf(constant, [0, 1]))).toMatchObject({ agreement: 0.75, kappa: 0 });
  expect(baseRateOf(constant.map(({ label }) => label))).toEqual({ label: 1, share: 0.75 });
});

test("kappa is null if all labels and verdicts are the same", () => {
  expect(agreementOf(confusionOf(pairs([1, 1], [1, 1]), [0, 1])).kappa).toBeNull();
});

test("counts how often two verdicts on one reply are equal", () => {
  const repeated = [
    [0, 1],
    [0, 1],
    [0, 0],
    [1, 1],
  ].map(([reply, verdict]) => ({ reply: reply!, label: 1, verdict: verdict! }));
  expect(selfConsistency(repeated)).toBeCloseTo(1 / 3, 12);
  expect(selfConsistency(repeated.slice(2))).toBeNull();
});

test("the interval contains the figure, is the same each time, and is narrower with more replies", () => {
  const some = Array.from({ length: 20 }, (_, n): [number, number] => [
    n % 2,
    n % 5 === 0 ? 0 : n % 2,
  ]);
  const width = (values: readonly (readonly [number, number])[]): number => {
    const [low, high] = intervalsOf(pairs(...values), [0, 1]).agreement!;
    expect(low).toBeLessThanOrEqual(0.9);
    expect(high).toBeGreaterThanOrEqual(0.9);
    return high - low;
  };
  expect(width(some)).toBe(width(some));
  expect(width([...some, ...some, ...some, ...some])).toBeLessThan(width(some));
});

test("resamples replies, not verdicts: repetitions do not narrow the interval", () => {
  const once = pairs([0, 0], [0, 1], [1, 1], [1, 1], [0, 0], [1, 0]);
  const thrice = once.flatMap((pair) => [pair, pair, pair]);
  expect(intervalsOf(thrice, [0, 1])).toEqual(intervalsOf(once, [0, 1]));
});
