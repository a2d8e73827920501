import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { cacheFolder } from "../cache.ts";
import { isCurrent, packagesFolder, readManifest } from "../python/packages/store.ts";
import { snapshotPath } from "../python/snapshot.ts";

/** A folder in the cache of this package. */
export interface CacheEntry {
  readonly path: string;
  readonly bytes: number;
  /** Whether this version uses it. Others are leftovers of other versions, or of a process that was killed. */
  readonly isUsed: boolean;
  /** The Python packages in it. */
  readonly packages?: readonly string[] | undefined;
}

/** The caches of this package, with their sizes. */
export function cachesOf(): readonly CacheEntry[] {
  const snapshots = foldersIn(join(cacheFolder(), "python")).map((path) => ({
    path,
    bytes: sizeOf(path),
    isUsed: snapshotPath().startsWith(`${path}/`),
  }));
  const packages = foldersIn(packagesFolder()).map((path) => {
    const manifest = readManifest(path);
    const isUsed = manifest !== undefined && isCurrent(path, manifest);
    return { path, bytes: sizeOf(path), isUsed, packages: manifest?.requirements };
  });
  return [...snapshots, ...packages];
}

function foldersIn(path: string): readonly string[] {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

function sizeOf(path: string): number {
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) return 0;
  if (!status.isDirectory()) return status.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
