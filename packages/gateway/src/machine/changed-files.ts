import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { messageOf } from "@envs/core/engine";
import { createTwoFilesPatch } from "diff";

import type { AgentComputer } from "./agent-machine.ts";

const limits = { folder: 64 * 2 ** 20, file: 2 ** 18, shown: 2 ** 17, edits: 4_000 };
const ignored: ReadonlySet<string> = new Set([".git", ".venv", "__pycache__", "node_modules"]);

/** A folder of a machine as it was: the text of its small files, and the size of others. */
type Snapshot = ReadonlyMap<string, string | number>;

/** Reads a folder of a machine. Resolves to the reason if it is too large. */
export async function snapshotOf(
  machine: AgentComputer,
  folder: string,
): Promise<Snapshot | string> {
  if (folder === "/") return "the working directory is the root";
  const copy = await mkdtemp(join(tmpdir(), "envs-changes-"));
  try {
    await machine.copyOut(folder, copy, { maxBytes: limits.folder });
    const files = new Map<string, string | number>();
    const entries = await readdir(copy, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      const name = relative(copy, path);
      if (!entry.isFile() || name.split("/").some((part) => ignored.has(part))) continue;
      const { size } = await stat(path);
      const bytes = size > limits.file ? undefined : await readFile(path);
      files.set(name, bytes === undefined || bytes.includes(0) ? size : bytes.toString("utf8"));
    }
    return files;
  } catch (error) {
    return messageOf(error);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The difference of two snapshots as a patch of bounded size; empty if they are equal. */
export function changesBetween(before: Snapshot | string, after: Snapshot | string): string {
  if (typeof before === "string") return `Not compared: ${before}`;
  if (typeof after === "string") return `Not compared: ${after}`;
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const changed = paths.filter((path) => before.get(path) !== after.get(path));
  let patch = "";
  for (const [index, path] of changed.entries()) {
    const next = patchOf(path, before.get(path), after.get(path));
    if (patch.length + next.length > limits.shown)
      return `${patch}[${changed.length - index} more files: ${changed.slice(index, index + 50).join(", ")}]`;
    patch += next;
  }
  return patch;
}

/** The change of one file as a patch, or of its size if it is not text. */
export function patchOf(
  path: string,
  before: string | number | undefined,
  after: string | number | undefined,
): string {
  const size = (side: string | number | undefined): string =>
    side === undefined ? "nothing" : `${typeof side === "number" ? side : side.length} bytes`;
  const names = [
    before === undefined ? "/dev/null" : `a/${path}`,
    after === undefined ? "/dev/null" : `b/${path}`,
  ] as const;
  const patch =
    typeof before === "number" || typeof after === "number"
      ? undefined
      : createTwoFilesPatch(...names, before ?? "", after ?? "", undefined, undefined, {
          maxEditLength: limits.edits,
        });
  return (
    patch?.replace(/^=+\n/u, "") ?? `${names.join(" → ")}: ${size(before)}, now ${size(after)}\n`
  );
}
