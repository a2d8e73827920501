import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { isConfigError } from "@envs/core/engine";
import { lockRun } from "@envs/records/node";

import { cacheFolder as cacheOf, sha256 } from "./pyodide/cache.ts";

/** The folder for files that this package makes or downloads once: `~/.cache/envs/sandbox`, or below `$XDG_CACHE_HOME`. */
export function cacheFolder(): string {
  return cacheOf("sandbox");
}

/** A short name for values that determine a file. */
export function cacheKey(values: readonly unknown[]): string {
  return sha256(Buffer.from(JSON.stringify(values))).slice(0, 16);
}

const unfinished = "new-";

/**
 * Returns the path of a file or folder. If it is missing, one process makes it in a new folder, and others wait. Removes
 * unfinished folders of killed processes.
 */
export async function findOrMake(
  path: string,
  make: (unfinished: string) => Promise<void>,
): Promise<string> {
  while (!existsSync(path)) {
    let unlock: () => Promise<void>;
    try {
      unlock = await lockRun(dirname(path));
    } catch (error) {
      if (!isConfigError(error)) throw error;
      await sleep(100);
      continue;
    }
    try {
      if (!existsSync(path)) await makeInFolder(path, make);
    } finally {
      await unlock();
    }
  }
  return path;
}

async function makeInFolder(
  path: string,
  make: (unfinished: string) => Promise<void>,
): Promise<void> {
  const parent = dirname(path);
  for (const name of await readdir(parent))
    if (name.startsWith(unfinished)) await rm(join(parent, name), { recursive: true });
  const folder = await mkdtemp(join(parent, unfinished));
  try {
    const target = join(folder, basename(path));
    await make(target);
    await rename(target, path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
