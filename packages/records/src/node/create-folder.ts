import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { WriteError } from "./write-error.ts";

/**
 * Creates a folder and its parents, if they do not exist. Throws a `WriteError` that names the folder. Unlike `mkdir` with
 * `recursive`, it ends on file systems that allow no new folders, such as `/proc`.
 */
export async function createFolder(path: string): Promise<void> {
  try {
    await ensure(path);
  } catch (error) {
    const advice = "Choose a folder that you can write to.";
    throw new WriteError(`create the folder ${path}`, error, advice);
  }
}

async function ensure(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (await isFolder(path)) return;
    const parent = dirname(path);
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT") || parent === path)
      throw error;
    await ensure(parent);
    await mkdir(path).catch(async (again: unknown) => {
      // Another process may have created it.
      if (!(await isFolder(path))) throw again;
    });
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
