import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** In the order in which docs/parity.md adds them. */
const covered = "turns tools data judge maths images mcp sandbox rlm group container".split(" ");

/** What each environment needs beyond text in one turn. */
const needs = read("tooling/data/reach.csv")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map((line) => line.split(",")[2]!.split(" ").filter(Boolean));

test("docs/parity.md counts the environments that can be written with each need and those above it", () => {
  const counts = [...Array(covered.length + 1).keys()].map((length) => {
    const known = new Set(covered.slice(0, length));
    return needs.filter((all) => all.every((need) => known.has(need))).length;
  });
  const rows = read("docs/parity.md").matchAll(/^\| (?:text in|and) .+? \| (?<count>\d+) /gm);
  expect([...rows].map(([, count]) => Number(count))).toEqual(counts);
});

test("the README and docs/parity.md state the total", () => {
  const known = new Set(covered);
  const count = needs.filter((all) => all.every((need) => known.has(need))).length;
  for (const path of ["README.md", "docs/parity.md"])
    expect(read(path)).toContain(`${count} of ${needs.length} public environments of verifiers`);
});
