import { widthOf } from "@envs/cli/kit/layout";
import type { PackageSummary } from "@envs/hub-client";
import fc from "fast-check";
import { expect, test } from "vitest";

import { formatSearchResults } from "../src/packages/search-results.ts";

const item = (overrides: Partial<PackageSummary>): PackageSummary => ({
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
  license: null,
  evaluations: 0,
  trainings: 0,
  downloads: 0,
  stars: 0,
  publishedAt: "2026-01-31T00:00:00.000Z",
  ...overrides,
});
const results = (items: readonly PackageSummary[], total = items.length) => ({
  items: [...items],
  total,
  page: 1,
  perPage: 20,
  isApproximate: false,
  facets: {
    kinds: [],
    tags: [{ value: "game", count: 1 }],
    tools: [],
    needs: [],
    protocols: [],
    licenses: [],
    owners: [],
    evaluated: 0,
  },
});

const anyText = fc.string({ unit: "binary", maxLength: 120 });

test("no line is wider than the terminal", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ description: anyText, version: anyText }).map(item), { minLength: 1 }),
      fc.integer({ min: 40, max: 200 }),
      (items, columns) => {
        for (const line of formatSearchResults(results(items), columns).split("\n"))
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
      },
    ),
  );
});

test("a description is beside its row in a wide terminal, and below it in a narrow one", () => {
  const items = [item({ description: "Play X against an opponent.", downloads: 1204, stars: 3 })];
  expect(formatSearchResults(results(items), 100)).toBe(
    `name             version  kind        downloads  stars
@envs/tictactoe  0.1.0    multi-turn  1,204      3      Play X against an opponent.`,
  );
  expect(formatSearchResults(results(items), 60)).toBe(
    `name             version  kind        downloads  stars
@envs/tictactoe  0.1.0    multi-turn  1,204      3
  Play X against an opponent.`,
  );
});

test("a warning precedes the description", () => {
  const text = formatSearchResults(results([item({ deprecated: "use 2", access: "restricted" })]));
  expect(text).toContain("(deprecated: use 2; private)");
});

test("several pages end with the next page and tags to filter by", () => {
  expect(formatSearchResults(results([item({})], 41), 100)).toContain(
    "1 to 1 of 41. Next: --page 2\nFilter with --tag: game (1)",
  );
  expect(formatSearchResults(results([]))).toContain("Nothing found. Try other words");
});
