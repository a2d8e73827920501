import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { brokenLinks } from "../../src/docs/links.ts";
import { namedExports, parityRows } from "../support/parity.ts";

const root = join(import.meta.dirname, "../../..");
const file = join(root, "docs/parity.md");
const page = readFileSync(file, "utf8");
const rows = parityRows(page);

test("reads the rows of both generations of verifiers", () => {
  expect(rows.length).toBeGreaterThan(100);
  expect(rows.map(({ feature }) => feature)).toEqual(
    expect.arrayContaining([
      "`SingleTurnEnv`",
      "`MathRubric`, `HybridMathRubric`",
      "`isolated_verifier`",
    ]),
  );
});

test("every row is done, planned or left out with a reason", () => {
  const invalid = rows.filter(
    ({ status, here }) =>
      !["done", "not yet", "no"].includes(status) || (status === "no" && here.length < 20),
  );
  expect(invalid).toEqual([]);
});

test("every row that is done names a function, a property, a command or a page", () => {
  const vague = rows.filter(({ status, here }) => status === "done" && !/`|\]\(/.test(here));
  expect(vague).toEqual([]);
});

test("every link leads to a page and a heading", () => {
  expect(brokenLinks(file, page)).toEqual([]);
});

const guide = readFileSync(join(root, "docs/guides/migrate-from-verifiers.md"), "utf8");
const modules = Map.groupBy(namedExports(page + guide), ({ module }) => module);

test.each([...modules])("%s exports what the pages name", async (module, mentions) => {
  const exported: object = await import(module);
  expect(mentions.filter(({ name }) => !(name in exported))).toEqual([]);
});

test("namedExports() reads lists of names", () => {
  expect(namedExports("`take`, `map` and `filter` of `@envs/core`; `code` of a page")).toEqual([
    { name: "take", module: "@envs/core" },
    { name: "map", module: "@envs/core" },
    { name: "filter", module: "@envs/core" },
  ]);
});
