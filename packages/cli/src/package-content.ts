import { existsSync, readFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { packageContentHash } from "@envs/hub-client";

import { packedFiles } from "./packed-files.ts";

/** The content hash of the package in a folder. */
export async function packageHash(root: string): Promise<string> {
  return hashOf(root, await packedFiles(root));
}

/** The same for one file. */
export function fileHash(file: string): Promise<string> {
  return hashOf(dirname(file), [basename(file)]);
}

/** Whether a package's sources are newer than what was built of them. */
export async function isStale(root: string): Promise<boolean> {
  const [dist, src] = [join(root, "dist"), join(root, "src")];
  if (!existsSync(dist) || !existsSync(src)) return false;
  const newest = async (folder: string): Promise<number> => {
    const files = await filesOf(folder);
    const stats = await Promise.all(files.map((file) => stat(file)));
    return Math.max(0, ...stats.map(({ mtimeMs }) => mtimeMs));
  };
  return (await newest(src)) > (await newest(dist));
}

/** Synchronous: many small files are read ten times as fast, and never too many are open at once. */
function hashOf(root: string, paths: readonly string[]): Promise<string> {
  return packageContentHash(paths.map((path) => ({ path, bytes: readFileSync(join(root, path)) })));
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("node_modules"));
}
