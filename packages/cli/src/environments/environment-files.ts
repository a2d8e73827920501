import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join, parse, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { contentFiles } from "@envs/records";

import { importedModules } from "./imports.ts";
import type { LoadedEnvironment } from "./loaded-environment.ts";
import { isSource, packedFiles, withoutBuild } from "./package-content.ts";
import { packageRoot, readPackageJson } from "./package-json.ts";

/** The hashes of the files that determine how an environment behaves, by their path in its package. */
export type EnvironmentFiles = Readonly<Record<string, string>>;

/**
 * Hashes the module of an environment, what it imports from its own package, and the files that the package lists in `files`,
 * such as data. Without such a list, only modules count: npm would pack the whole folder, saved runs included.
 */
export async function environmentFiles({
  module,
  root,
  parts,
}: Pick<LoadedEnvironment, "module" | "root" | "parts">): Promise<EnvironmentFiles> {
  if (parts !== undefined) return filesOfParts(parts);
  // Node resolves symbolic links before it imports.
  const entry = realpathSync(fileURLToPath(module));
  const base = root === undefined ? dirname(entry) : realpathSync(root);
  const owner = packageRoot(entry) ?? parse(entry).root;
  const modules = importedModules(pathToFileURL(entry).href, (url) => isBelow(owner, url));
  const paths = new Set([
    ...modules.map((url) => slashed(relative(base, fileURLToPath(url)))),
    ...(root === undefined ? [] : await listedFiles(base, entry)),
  ]);
  const sorted = [...paths].toSorted((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map((path) => [path, hash(readFileSync(join(base, path)))]));
}

async function filesOfParts(
  parts: NonNullable<LoadedEnvironment["parts"]>,
): Promise<EnvironmentFiles> {
  const lists = await Promise.all(
    Object.entries(parts).map(async ([part, loaded]) =>
      Object.entries(await environmentFiles(loaded)).map(([path, hash]) => [
        `${part}/${path}`,
        hash,
      ]),
    ),
  );
  return Object.fromEntries(lists.flat()) as EnvironmentFiles;
}

/** The files that changed, appeared or disappeared. */
export function changedFiles(before: EnvironmentFiles, after: EnvironmentFiles): readonly string[] {
  return Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path]);
}

async function listedFiles(root: string, entry: string): Promise<readonly string[]> {
  const { files } = await readPackageJson(root);
  if (files === undefined) return [];
  const packed = await packedFiles(root);
  const used = isSource(root, entry) ? withoutBuild(packed) : packed;
  return contentFiles(used.map((path) => ({ path: slashed(path) }))).map(({ path }) => path);
}

function isBelow(folder: string, url: string): boolean {
  if (!url.startsWith("file:")) return false;
  const parts = relative(folder, fileURLToPath(url)).split(sep);
  return parts[0] !== ".." && !parts.includes("node_modules");
}

function slashed(path: string): string {
  return path.split(sep).join("/");
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}
