import { expect, test } from "vitest";

import { sift } from "../../src/export/filter-rollouts.ts";
import { fieldsOf } from "../../src/runs/rollout-fields.ts";
import { parseClauses } from "../../src/runs/where.ts";
import { playedRollout } from "../viewer/run.ts";

const rollouts = [
  playedRollout(0, 1),
  playedRollout(1, undefined),
  { ...playedRollout(2, 1), isTruncated: true },
  playedRollout(3, 0),
  playedRollout(4, 0.4),
  playedRollout(0, 1),
];

const options = {
  clauses: parseClauses("right > 0 && reward > 0.5", fieldsOf(rollouts)),
  keepsTruncated: false,
  keepsDuplicates: false,
};

test("a rollout is kept if nothing speaks against it, and counted where it fell", () => {
  const { kept, leftOut } = sift(rollouts, options);
  expect(kept).toEqual([rollouts[0]]);
  expect(leftOut).toEqual([
    { reason: "failed", count: 1 },
    { reason: "truncated", count: 1 },
    { reason: "not right > 0", count: 1 },
    { reason: "not reward > 0.5", count: 1 },
    { reason: "duplicate", count: 1 },
  ]);
});

test("truncated ones and duplicates stay if they are wanted", () => {
  const { kept } = sift(rollouts, { ...options, keepsTruncated: true, keepsDuplicates: true });
  expect(kept).toEqual([rollouts[0], rollouts[2], rollouts[5]]);
});

test("one that failed is never learned from", () => {
  const { kept } = sift(rollouts, { ...options, clauses: [] });
  expect(kept.map(({ status }) => status)).not.toContain("failed");
});
