import { expect, test } from "vitest";

import { groupId, groupsOf, maxBlock } from "../src/group.ts";

const run = "6f1b5f5e-3a0c-4f53-9a39-0a4b1d1c2f10";
const example = { key: "a", index: 0, example: { prompt: "?" } };

test("gives a block one id, regardless of which of its rollouts are missing", () => {
  const [all] = groupsOf(example, [0, 1, 2], { isDivisible: true });
  const [rest] = groupsOf(example, [2], { isDivisible: true });
  expect(groupId(run, rest!)).toBe(groupId(run, all!));
});

test("gives different examples, blocks and runs different ids", () => {
  const other = { ...example, key: "b" };
  const ids = [
    groupId(run, { example, block: 0 }),
    groupId(run, { example, block: 1 }),
    groupId(run, { example: other, block: 0 }),
    groupId("00000000-3a0c-4f53-9a39-0a4b1d1c2f10", { example, block: 0 }),
  ];
  expect(new Set(ids).size).toBe(4);
});

test("divides many rollouts of an example unless a score needs them together", () => {
  const missing = Array.from({ length: maxBlock * 2 + 1 }, (_, index) => index);
  const groups = groupsOf(example, missing, { isDivisible: true });
  expect(groups.map(({ block, rolloutIndices }) => [block, rolloutIndices.length])).toEqual([
    [0, maxBlock],
    [1, maxBlock],
    [2, 1],
  ]);
  expect(groupsOf(example, missing, { isDivisible: false })).toEqual([
    { example, block: 0, rolloutIndices: missing },
  ]);
});
