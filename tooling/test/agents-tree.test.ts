import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { existingFolders, listedFolders } from "../src/agents-tree.ts";

const root = join(import.meta.dirname, "../..");
const listed = listedFolders(readFileSync(join(root, "AGENTS.md"), "utf8"));

test("AGENTS.md's tree lists every package and every folder in its src", () => {
  expect(existingFolders(root).filter((folder) => !listed.includes(folder))).toEqual([]);
});

test("AGENTS.md's tree lists only folders that exist", () => {
  expect(listed.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
});
