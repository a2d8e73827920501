import { defineEnvironment, type Example } from "@envs/core";
import { expect, test } from "vitest";

import { divide, withRows } from "../../src/smoke/rows.ts";

const numbered = (count: number, prefix = ""): Example[] =>
  Array.from({ length: count }, (_, index) => ({ prompt: `${prefix}${index}` }));

const define = (dataset: () => Example[] | Record<string, Example[]>) =>
  defineEnvironment({ name: "rows", dataset, rubric: { any: () => 1 } })();

const prompts = (rows: readonly Example[]): unknown[] => rows.map(({ prompt }) => prompt);
const counts = { rows: 200, held: 50, seed: 1 };

test("some rows are held back, at most a third, and none of them is learned from", async () => {
  const { learned, held, isShared } = await divide(
    define(() => numbered(90)),
    counts,
  );
  expect([learned.length, held.length, isShared]).toEqual([60, 30, false]);
  expect(new Set(prompts([...learned, ...held])).size).toBe(90);
  expect(prompts(held)).not.toEqual(prompts(numbered(30)));
});

test("where there are splits, what is measured on is the eval split", async () => {
  const splits = define(() => ({ eval: numbered(80, "e"), train: numbered(500, "t") }));
  const { learned, held } = await divide(splits, counts);
  expect([learned.length, held.length]).toEqual([200, 50]);
  expect(prompts(learned).every((prompt) => String(prompt).startsWith("t"))).toBe(true);
  expect(prompts(held).every((prompt) => String(prompt).startsWith("e"))).toBe(true);
});

test("a few rows are learned from and measured on", async () => {
  const { learned, held, isShared } = await divide(
    define(() => numbered(10)),
    counts,
  );
  expect(learned).toEqual(held);
  expect([learned.length, isShared]).toEqual([10, true]);
});

test("an environment can be given other rows, whatever config it is asked for with", () => {
  const rows = numbered(3);
  const factory = withRows(
    define(() => numbered(90)),
    rows,
  );
  expect(factory({}).definition.dataset({ config: {}, random: undefined as never })).toBe(rows);
});
