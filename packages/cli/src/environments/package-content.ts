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
    // Without file types: in an archive, where Yarn keeps packages, an entry does not know its folder.
    const paths = await readdir(folder, { recursive: true });
    const stats = await Promise.all(
      paths
        .filter((path) => !path.includes("node_modules"))
        .map((path) => stat(join(folder, path))),
    );
    const files = stats.filter((each) => each.isFile());
    return Math.max(0, ...files.map(({ mtimeMs }) => mtimeMs));
  };
  return (await newest(src)) > (await newest(dist));
}

/** Synchronous: many small files are read ten times as fast, and never too many are open at once. */
function hashOf(root: string, paths: readonly string[]): Promise<string> {
  return packageContentHash(paths.map((path) => ({ path, bytes: readFileSync(join(root, path)) })));
}
