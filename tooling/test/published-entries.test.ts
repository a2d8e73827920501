import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

interface Entries {
  readonly exports?: unknown;
  readonly imports?: unknown;
}

/** The packages: in the workspace, entries name sources; the tarball has the entries of `publishConfig`. */
const packages = globSync("{packages,environments}/*/package.json", { cwd: root })
  .map((path) => [dirname(path), JSON.parse(readFileSync(join(root, path), "utf8"))] as const)
  .filter(([, { private: isPrivate, exports }]) => isPrivate !== true && hasSource(exports));

function hasSource(entries: unknown): boolean {
  return JSON.stringify(entries)?.includes("./src/") ?? false;
}

/** Replaces the paths of sources by the paths of tsc's output. The condition selects JSX, which Node cannot run. */
function built(entries: unknown): unknown {
  if (typeof entries === "string") return entries.replace(/^\.\/src\/(.*)\.tsx?$/, "./dist/$1.js");
  if (typeof entries !== "object" || entries === null) return entries;
  if ("@envs/source" in entries) return built(entries["@envs/source"]);
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, built(entry)]));
}

function paths(entries: unknown): readonly string[] {
  if (typeof entries === "string") return entries.includes("*") ? [] : [entries];
  return Object.values(entries ?? {}).flatMap(paths);
}

describe.each(packages)("%s", (folder, { exports, imports, publishConfig }) => {
  const published = publishConfig as Entries | undefined;

  test("publishes the output of tsc for its entries", () => {
    expect(published?.exports).toEqual(built(exports));
    expect(published?.imports).toEqual(built(imports));
  });

  test("has the files of its entries", () => {
    const sources = [exports, imports].flatMap(paths).filter((path) => !path.startsWith("./dist/"));
    expect(sources.filter((path) => !existsSync(join(root, folder, path)))).toEqual([]);
  });
});
