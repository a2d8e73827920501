import {
  mkdir,
  mkdtemp,
  opendir,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";

import type { Files } from "./files.ts";

/** The most files and folders, and bytes, of a folder that is read: a right one has far fewer. */
const limits = { entries: 200, bytes: 256 * 1024 };

let removal: Promise<void> | undefined;

/** Writes files into a new folder of the temp folder. Returns its path. The first call removes folders of killed processes. */
export async function createFolder(files: Files): Promise<string> {
  await (removal ??= removeAbandoned());
  const root = await realpath(await mkdtemp(join(tmpdir(), `envs-files-${process.pid}-`)));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

/** Removes the folders of killed processes, which could not remove them. */
export async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = /^envs-files-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && hasEnded(Number(pid)))
      // Ignores errors: another process may have removed the folder, or it may belong to another user.
      await removeFolder(join(tmpdir(), name)).catch(() => {});
  }
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

export async function removeFolder(root: string): Promise<void> {
  await rm(root, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Reads all files of a folder. Returns `undefined` for a folder that no task asks for: with a link or a special file, or above
 * the limits. Links are not followed, so that they cannot present files of elsewhere as results.
 */
export async function readFolder(root: string): Promise<Files | undefined> {
  const files: Record<string, string> = {};
  let entries = 0;
  let bytes = 0;
  for await (const entry of await opendir(root, { recursive: true })) {
    entries += 1;
    if (entries > limits.entries) return undefined;
    if (entry.isDirectory()) continue;
    if (!entry.isFile()) return undefined;
    const path = join(entry.parentPath, entry.name);
    bytes += (await stat(path)).size;
    if (bytes > limits.bytes) return undefined;
    files[relative(root, path).split(sep).join("/")] = await readFile(path, "utf8");
  }
  return files;
}
