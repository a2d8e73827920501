import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { packageContentHash, type PackageFile } from "../src/content-hash.ts";

type Tree = Readonly<Record<string, string>>;

const encoder = new TextEncoder();
const filesOf = (tree: Tree): readonly PackageFile[] =>
  Object.entries(tree).map(([path, text]) => ({ path, bytes: encoder.encode(text) }));
const hashOf = (tree: Tree): Promise<string> => packageContentHash(filesOf(tree));

/** Few characters, including those of the encoding, so that paths and contents often collide. */
const text = fc.string({ unit: fc.constantFrom("a", "b", "0", "1", ":"), maxLength: 5 });
const trees = fc.dictionary(
  text.map((path) => `dist/${path}`),
  text,
  { maxKeys: 4 },
);
const sorted = (tree: Tree) => Object.entries(tree).toSorted(([a], [b]) => (a < b ? -1 : 1));

test("two trees have the same hash only if they are equal", async () => {
  await fc.assert(
    fc.asyncProperty(trees, trees, async (left, right) => {
      const areEqual = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
      expect((await hashOf(left)) === (await hashOf(right))).toBe(areEqual);
    }),
    { numRuns: cases(300) },
  );
});

test("the hash changes when a byte moves from one file to the next", async () => {
  const variants = [
    { "dist/a": "bc", "dist/d": "" },
    { "dist/a": "b", "dist/d": "c" },
    { "dist/ab": "c", "dist/d": "" },
    { "dist/a": "bcdist/d" },
    { "dist/abcdist/d": "" },
  ];
  expect(new Set(await Promise.all(variants.map((tree) => hashOf(tree)))).size).toBe(
    variants.length,
  );
});

test("the hash does not depend on the order of the files", async () => {
  await fc.assert(
    fc.asyncProperty(
      trees.chain((tree) => fc.tuple(fc.constant(tree), shuffled(filesOf(tree)))),
      async ([tree, files]) => {
        expect(await packageContentHash(files)).toBe(await hashOf(tree));
      },
    ),
  );
});

function shuffled<Item>(items: readonly Item[]): fc.Arbitrary<Item[]> {
  return fc.shuffledSubarray([...items], { minLength: items.length });
}

test("the hash is the same on all machines", async () => {
  expect(await hashOf({})).toMatchInlineSnapshot(
    `"sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"`,
  );
  expect(await hashOf({ "dist/index.js": "1;\n", "dist/ü.js": "" })).toMatchInlineSnapshot(
    `"sha256-87e0eea542028b368757efa03792a56c64cde315b0caf5c7e7d598507e23f97b"`,
  );
});

describe("the hash of a built package", () => {
  const built: Tree = { "dist/index.js": "1;" };

  test.for([
    "package.json",
    "envs.manifest.json",
    "README.md",
    "readme",
    "LICENSE",
    "LICENCE.txt",
    "License-MIT.md",
    "LICENSE-APACHE-2",
    "README.zh-CN.md",
    "NOTICE",
    "CHANGELOG.md",
    "dist/.tsbuildinfo",
    "tsconfig.tsbuildinfo",
    "node_modules/x/index.js",
    "dist/node_modules/x/index.js",
    "src/index.ts",
  ])("does not depend on %s", async (path) => {
    expect(await hashOf({ ...built, [path]: "text" })).toBe(await hashOf(built));
  });

  test.for([
    "dist/package.json",
    "dist/README.md",
    "dist/envs.manifest.json",
    "data/questions.jsonl",
    "readme-parser.js/index.js",
    "dist/src/index.js",
    "licenses.js",
    "history.js",
    "readme.md.js",
    "changes.json",
  ])("depends on %s", async (path) => {
    expect(await hashOf({ ...built, [path]: "text" })).not.toBe(await hashOf(built));
  });

  test("depends on src if there is no dist", async () => {
    expect(await hashOf({ "src/index.ts": "1;" })).not.toBe(await hashOf({ "src/index.ts": "2;" }));
  });
});
