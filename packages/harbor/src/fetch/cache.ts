import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readlink, realpath, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";

import { ConfigError } from "@envs/core";

/** The folder of a commit in the cache of this user: `~/.cache/envs/harbor`, or below `$XDG_CACHE_HOME`. */
export function cacheFolder(name: string, commit: string): string {
  const caches = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const safe = name.replaceAll(/[^\w.-]+/gu, "-").replace(/^[-.]+/u, "");
  return join(caches, "envs", "harbor", safe, commit);
}

/** Fills a folder of the cache once: another process sees all of it, or nothing. */
export async function filledOnce(
  folder: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  if (existsSync(folder)) return folder;
  const incoming = `${folder}.${randomUUID()}.tmp`;
  await mkdir(incoming, { recursive: true });
  try {
    await fill(incoming);
    await refuseLinksOutside(incoming);
    // Fails if another process was faster; its files are the same.
    await rename(incoming, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
    return folder;
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

/** A stranger's link could make this computer's files those of a task. */
async function refuseLinksOutside(folder: string): Promise<void> {
  const root = await realpath(folder);
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const link = await readlink(path);
    const target = await realpath(path).catch(() => join(dirname(path), link));
    if (link.startsWith("/") || relative(root, target).startsWith(".."))
      throw new ConfigError(
        `The link ${relative(root, path)} leads to ${link}, out of the tasks. Nothing was opened.`,
      );
  }
}
