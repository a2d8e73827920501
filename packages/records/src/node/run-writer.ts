import { open } from "node:fs/promises";
import { join } from "node:path";

import type { Rollout } from "@envs/core";
import type { RolloutKey } from "@envs/core/engine";
import pLimit from "p-limit";

import type { Metadata } from "../metadata.ts";
import { lineOf } from "../read-record.ts";
import { toRow } from "../write-row.ts";
import { MediaWriter } from "./media-store.ts";
import { replaceFile } from "./replace-file.ts";
import { lockRun } from "./run-lock.ts";
import { keyOf, metadataFile, resultsFile } from "./run-store.ts";
import { WriteError } from "./write-error.ts";

/** A run that this process writes. Appended rollouts survive a crash of the process. */
export interface RunWriter {
  readonly path: string;
  has(key: RolloutKey): boolean;
  /**
   * Resolves once the row is in the file. Rows that are appended during a write are written together, in order. Throws a
   * `WriteError` if the disk is full, for example. The rows before are kept.
   */
  append(rollout: Rollout): Promise<void>;
  /** Replaces fields of the metadata atomically. */
  update(fields: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

/** Creates a run in a new folder. Throws a `WriteError` if this process cannot write there. */
export async function createRun(path: string, metadata: Metadata): Promise<RunWriter> {
  const unlock = await lockRun(path);
  try {
    await replaceFile(join(path, metadataFile), pretty(metadata));
    await replaceFile(join(path, resultsFile), "");
    return await createWriter(path, metadata, new Set(), unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** Appends to the results of a run that has the rollouts with these keys. */
export async function createWriter(
  path: string,
  initial: Metadata,
  keys: ReadonlySet<string>,
  unlock: () => Promise<void>,
): Promise<RunWriter> {
  const results = join(path, resultsFile);
  const file = await open(results, "a");
  let { size } = await file.stat();
  const enqueue = pLimit(1);
  const media = new MediaWriter(path);
  let metadata = initial;
  const waiting: Rollout[] = [];
  let writing: Promise<void> | undefined;
  const write = async (rollouts: readonly Rollout[]): Promise<void> => {
    let text = "";
    for (const rollout of rollouts) text += rowLine(await media.store(rollout));
    const bytes = Buffer.from(text);
    try {
      await file.appendFile(bytes);
      size += bytes.length;
    } catch (error) {
      // The next row must not continue a line of which only a part was written.
      await file.truncate(size).catch(() => {});
      throw new WriteError(`write ${results}`, error);
    }
  };
  return {
    path,
    has: (key) => keys.has(keyOf(key)),
    append(rollout) {
      waiting.push(rollout);
      return (writing ??= enqueue(() => {
        writing = undefined;
        return write(waiting.splice(0));
      }));
    },
    update: (fields) =>
      enqueue(() => {
        metadata = { ...metadata, ...fields };
        return replaceFile(join(path, metadataFile), pretty(metadata));
      }),
    close: () =>
      enqueue(async () => {
        await file.close();
        await unlock();
      }),
  };
}

/** The line of a rollout in `results.jsonl`. */
export function rowLine(rollout: Rollout): string {
  return `${lineOf(rollout) ?? JSON.stringify(toRow(rollout))}\n`;
}

function pretty(metadata: Metadata): string {
  return `${JSON.stringify(metadata, undefined, 2)}\n`;
}
