import { parseClauses } from "@envs/viewer";
import { expect, test } from "vitest";

import { fieldsOfRollouts } from "../../../../cli/src/runs/rollout-fields.ts";
import { playedRollout } from "../../../../cli/test/viewer/run.ts";
import { filterRollouts } from "../../../src/commands/export/filter-rollouts.ts";

const rollouts = [
  playedRollout(0, 1),
  playedRollout(1, undefined),
  { ...playedRollout(2, 1), isTruncated: true },
  playedRollout(3, 0),
  playedRollout(4, 0.4),
  playedRollout(0, 1),
];

const options = {
  clauses: parseClauses("right > 0 && reward > 0.5", fieldsOfRollouts(rollouts)),
};

test("keeps rollouts that pass every filter, and counts each exclusion for its first reason", () => {
  const { kept, excluded } = filterRollouts(rollouts, options);
  expect(kept).toEqual([rollouts[0]]);
  expect(excluded).toEqual([
    { reason: "failed", count: 1 },
    { reason: "truncated", count: 1 },
    { reason: "not right > 0", count: 1 },
    { reason: "not reward > 0.5", count: 1 },
    { reason: "duplicate", count: 1 },
  ]);
});

test("keeps truncated rollouts and duplicates if the options include them", () => {
  const { kept } = filterRollouts(rollouts, {
    ...options,
    includeTruncated: true,
    includeDuplicates: true,
  });
  expect(kept).toEqual([rollouts[0], rollouts[2], rollouts[5]]);
});

test("excludes failed rollouts always", () => {
  const { kept } = filterRollouts(rollouts, { ...options, clauses: [] });
  expect(kept.map(({ status }) => status)).not.toContain("failed");
});
