import type { PackageSummary } from "@envs/hub-client";
import { widthOf } from "@envs/terminal/layout";
import fc from "fast-check";
import { expect, test } from "vitest";

import { searchResults } from "../src/render/search.ts";

const item = (given: Partial<PackageSummary>): PackageSummary => ({
  name: "@envs/tictactoe",
  version: "0.1.0",
  description: "",
  owner: "envs",
  access: "public",
  isArchived: false,
  deprecated: null,
  isEnvironment: true,
  title: null,
  kind: "multi-turn",
  tags: [],
  keywords: [],
  tools: [],
  scores: [],
  downloads: 0,
  stars: 0,
  publishedAt: "2026-01-31T00:00:00.000Z",
  ...given,
});
const found = (items: readonly PackageSummary[], total = items.length) => ({
  items: [...items],
  total,
  page: 1,
  perPage: 20,
  isApproximate: false,
  facets: { kinds: [], tags: [{ value: "game", count: 1 }], tools: [], owners: [] },
});

const anything = fc.string({ unit: "binary", maxLength: 120 });

test("what a search found fits the terminal, whatever is in it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ description: anything, version: anything }).map(item), { minLength: 1 }),
      fc.integer({ min: 40, max: 200 }),
      (items, columns) => {
        for (const line of searchResults(found(items), columns).split("\n"))
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
      },
    ),
  );
});

test("in a wide terminal a description stands beside, in a narrow one below", () => {
  const items = [item({ description: "Play X against an opponent.", downloads: 1204, stars: 3 })];
  expect(searchResults(found(items), 100)).toBe(
    `name             version  kind        downloads  stars
@envs/tictactoe  0.1.0    multi-turn  1,204      3      Play X against an opponent.`,
  );
  expect(searchResults(found(items), 60)).toBe(
    `name             version  kind        downloads  stars
@envs/tictactoe  0.1.0    multi-turn  1,204      3
  Play X against an opponent.`,
  );
});

test("what one should know of a package comes first", () => {
  const text = searchResults(found([item({ deprecated: "use 2", access: "restricted" })]));
  expect(text).toContain("(deprecated: use 2; private)");
});

test("there being more, it says how to go on and how to narrow it", () => {
  expect(searchResults(found([item({})], 41), 100)).toContain(
    "1 to 1 of 41. Next: --page 2\nNarrow it with --tag: game (1)",
  );
  expect(searchResults(found([]))).toContain("Try other words");
});
