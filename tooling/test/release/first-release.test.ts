import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { releasedPackages } from "../../../e2e/test/rehearse/release.ts";

const root = join(import.meta.dirname, "../../..");
const folder = join(root, ".changeset");
const changesets = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
const packages = await releasedPackages(root);

test("each package has one text for its first release, and no text is for another package", () => {
  const names = changesets.flatMap(
    ({ text }) => /^---\n"(.+)": minor\n---\n/.exec(text)?.[1] ?? [],
  );
  expect(names.toSorted()).toEqual(packages.map(({ name }) => name));
  expect(names).toHaveLength(changesets.length);
});

test("each text has one to five sentences", () => {
  const long = changesets.filter(({ text }) => {
    const body = text.replace(/^---\n.*?\n---\n/s, "").trim();
    return !/^[^.]/.test(body) || !body.endsWith(".") || body.split(/\.\s/).length > 5;
  });
  expect(long).toEqual([]);
});

test("the release raises every version from 0.0.0, so to 0.1.0", () => {
  expect(packages.filter(({ version }) => version !== "0.0.0")).toEqual([]);
});
