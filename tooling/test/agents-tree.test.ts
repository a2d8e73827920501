import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { existingFolders, listedFolders } from "./support/agents-tree.ts";

const root = join(import.meta.dirname, "../..");
const listed = listedFolders(root);

test("the maps list every package and every folder in its src", () => {
  expect(existingFolders(root).filter((folder) => !listed.includes(folder))).toEqual([]);
});

test("the maps list only folders that exist", () => {
  expect(listed.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});

test("the root's map has at most 120 lines", () => {
  expect(readFileSync(join(root, "AGENTS.md"), "utf8").split("\n").length - 1).toBeLessThan(121);
});
