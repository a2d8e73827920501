import { lstat, mkdir, opendir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

import { RolloutError, type WorkspaceChanges, type WorkspaceFiles } from "@envs/core";

/** The limits of a folder. Text files of a task are far smaller. */
const limits = { files: 2_000, bytes: 8 * 2 ** 20 };

/** Folders of tools, such as caches, whose files are not results. */
const ignored: ReadonlySet<string> = new Set([".git", ".venv", "__pycache__", "node_modules"]);

/** Writes the files of an environment that differ from those of the folder. */
export async function offerFiles(folder: string, offered: WorkspaceFiles): Promise<void> {
  const present = await readFiles(folder);
  for (const [path, text] of Object.entries(offered)) {
    if (present[path] === text) continue;
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

/**
 * Reads the text files of a program's folder. Links are not followed, because they may present other files of this machine as
 * results. Throws a `RolloutError` for a folder that cannot be scored.
 */
export async function readFiles(folder: string): Promise<WorkspaceFiles> {
  const files: Record<string, string> = {};
  let bytes = 0;
  const visit = async (path: string): Promise<void> => {
    for await (const entry of await opendir(path)) {
      const full = join(path, entry.name);
      const name = relative(folder, full).split(sep).join("/");
      if (entry.isDirectory()) {
        if (!ignored.has(entry.name)) await visit(full);
        continue;
      }
      if (!entry.isFile()) throw unreadable(`${name} is not a file. Links are not followed.`);
      const { size } = await lstat(full);
      bytes += size;
      if (bytes > limits.bytes || Object.keys(files).length >= limits.files)
        throw unreadable(
          `it has more than ${limits.files} files or ${limits.bytes} bytes, at ${name} with ${size} bytes.`,
        );
      files[name] = textOf(await readFile(full), name);
    }
  };
  try {
    await visit(folder);
  } catch (error) {
    if (error instanceof RolloutError) throw error;
    const isRemoved = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw unreadable(isRemoved ? "the program has removed it." : "it cannot be read.", error);
  }
  return files;
}

function textOf(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw unreadable(`${name} is not text in UTF-8.`, error);
  }
}

function unreadable(reason: string, cause?: unknown): RolloutError {
  return new RolloutError("agent", `The workspace cannot be scored: ${reason}`, { cause });
}

/** The changes between two states of a folder. */
export function changesBetween(before: WorkspaceFiles, after: WorkspaceFiles): WorkspaceChanges {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return Object.fromEntries(
    [...paths]
      .filter((path) => before[path] !== after[path])
      .toSorted()
      .map((path) => [path, after[path] ?? null]),
  );
}
