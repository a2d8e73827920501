import { expect, test } from "vitest";

import { collapseSigns } from "../../src/report/collapse-signs.ts";
import type { MetricsRow } from "../../src/report/metrics.ts";
import { demoMetrics } from "./fixtures/demo.ts";

test("a run that goes well shows no sign, with any seed", () => {
  for (const seed of [1, 2, 3, 4, 5]) expect(collapseSigns(demoMetrics(seed))).toEqual([]);
});

test("a collapse is told with its figures and what helps", () => {
  expect(collapseSigns(demoMetrics(1, "collapse"))).toMatchInlineSnapshot(`
    [
      "rl: the reward ended at 0.401, below its best of 0.88 at step 111.",
      "rl: the format score fell from 0.973 to 0.502: the model forgets how to answer.",
      "rl: the entropy fell from 0.628 to 0.0188 nats per token: the model stopped exploring. An entropy bonus or a higher temperature keeps it trying.",
    ]
  `);
});

test("a loss that is no number is told with its step", () => {
  const rows = demoMetrics(1).map((row): MetricsRow =>
    row.phase === "sft" && row.step > 58 && row.kind === "sft"
      ? { ...row, values: { ...row.values, loss: null } }
      : row,
  );
  expect(collapseSigns(rows)).toEqual([
    "sft: loss was no finite number at 2 steps, first step 59. A lower learning rate or a tighter clip norm keeps it finite.",
  ]);
});

test("groups without a difference and replies without an end are told", () => {
  const rows = Array.from({ length: 60 }, (_, index): MetricsRow => ({
    phase: "rl",
    step: index + 1,
    kind: "rl",
    at: index,
    values: { zeroVariance: 0.97, length: 20 + index },
  }));
  expect(collapseSigns(rows).map((sign) => sign.slice(0, 32))).toMatchInlineSnapshot(`
    [
      "rl: replies went from 20.7 to 78",
      "rl: in 97 % of the last groups a",
    ]
  `);
});

test("a few steps are too few to judge", () => {
  expect(collapseSigns(demoMetrics(1, "collapse").slice(0, 75))).toEqual([]);
});
