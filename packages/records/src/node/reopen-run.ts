import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Rollout } from "@envs/core";

import type { Metadata } from "../metadata.ts";
import { exampleHash } from "../read-record.ts";
import { replaceFile } from "./replace-file.ts";
import { lockRun } from "./run-lock.ts";
import {
  keyOf,
  readMetadata,
  type ReadRunOptions,
  readRollouts,
  resultsFile,
} from "./run-store.ts";
import { createWriter, rowLine, type RunWriter } from "./run-writer.ts";
import { WriteError } from "./write-error.ts";

const removedFile = "removed.jsonl";
/** How many characters of rows are written together, about. */
const chunkLength = 1_000_000;

/** What determines whether a saved rollout is kept, without its messages. */
export type SavedRollout = Pick<Rollout, "exampleKey" | "exampleIndex" | "rolloutIndex"> & {
  /** The hash of the content of its example. */
  readonly exampleHash: string;
};

export interface ReopenRunOptions extends Pick<ReadRunOptions, "signal"> {
  /** Returns the rollouts to keep, at their present index. Default: all. */
  readonly select?: ((saved: readonly SavedRollout[]) => readonly SavedRollout[]) | undefined;
  /** Receives each rollout that is kept, with references to its media. */
  readonly onKept?: ((rollout: Rollout) => void) | undefined;
}

/**
 * Opens a run to continue it. Keeps the scored rollouts that `select` returns; moves the others to `removed.jsonl`. Removes failed
 * rollouts, incomplete lines and duplicates from the file, so that the caller plays them again. Does not have all rollouts in memory.
 */
export async function reopenRun(
  path: string,
  { select = (saved) => saved, onKept, signal }: ReopenRunOptions = {},
): Promise<RunWriter> {
  const metadata = await readMetadata(path);
  const unlock = await lockRun(path);
  try {
    const saved = await savedRollouts(path, metadata, signal);
    const scored = [...saved.values()].map(({ rollout }) => rollout);
    const indices = new Map(select(scored).map((kept) => [keyOf(kept), kept.exampleIndex]));
    /** The lines of the rollouts that are kept, or of the others that were scored, some together. */
    const chosen = async function* (isKept: boolean): AsyncGenerator<string> {
      let place = 0;
      let text = "";
      for await (const read of readRollouts(path, metadata, { withMedia: false, signal })) {
        place += 1;
        if ("problem" in read || saved.get(keyOf(read))?.place !== place) continue;
        const exampleIndex = indices.get(keyOf(read));
        if (isKept !== (exampleIndex !== undefined)) continue;
        const rollout = { ...read, exampleIndex: exampleIndex ?? read.exampleIndex };
        if (isKept) onKept?.(rollout);
        text += rowLine(rollout);
        if (text.length < chunkLength) continue;
        yield text;
        text = "";
      }
      if (text !== "") yield text;
    };
    if (indices.size < saved.size) await appendText(join(path, removedFile), chosen(false));
    await replaceFile(join(path, resultsFile), chosen(true));
    return await createWriter(path, metadata, new Set(indices.keys()), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** The rollouts whose latest version is scored and readable, by key, with the place of that version in the file. */
async function savedRollouts(
  path: string,
  metadata: Metadata,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<string, { readonly place: number; readonly rollout: SavedRollout }>> {
  const saved = new Map<string, { readonly place: number; readonly rollout: SavedRollout }>();
  let place = 0;
  for await (const read of readRollouts(path, metadata, { signal })) {
    place += 1;
    if ("problem" in read) continue;
    const { exampleKey, exampleIndex, rolloutIndex, example, status } = read;
    const rollout = { exampleKey, exampleIndex, rolloutIndex, exampleHash: exampleHash(example) };
    if (status === "scored") saved.set(keyOf(read), { place, rollout });
    else saved.delete(keyOf(read));
  }
  return saved;
}

async function appendText(path: string, text: AsyncIterable<string>): Promise<void> {
  try {
    await writeFile(path, text, { flag: "a", flush: true });
  } catch (error) {
    throw new WriteError(`write ${path}`, error);
  }
}
