import { appendFile, open, readFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError, type Rollout } from "@envs/core";
import { messageOf, type RolloutKey } from "@envs/core/engine";
import pLimit from "p-limit";

import { parseJson } from "../json.ts";
import { type Metadata, parseMetadata } from "../metadata.ts";
import { isReadable, readRecord } from "../read-record.ts";
import type { UnreadableRow } from "../read-rollout.ts";
import { RolloutNumbers } from "../rollout-numbers.ts";
import { toRow } from "../write-row.ts";
import { lines } from "./json-lines.ts";
import { MediaReader, MediaWriter } from "./media-store.ts";
import { replaceFile } from "./replace-file.ts";
import { lockRun } from "./run-lock.ts";
import type { StoredRun, UnreadableLine } from "./stored-run.ts";
import { countsOf, isTraceRun, traceMetadata, tracesFile } from "./trace-run.ts";
import { WriteError } from "./write-error.ts";

const resultsFile = "results.jsonl";
const removedFile = "removed.jsonl";
const metadataFile = "metadata.json";

/** A run that this process writes. Appended rollouts survive a crash of the process. */
export interface RunWriter {
  readonly path: string;
  /** The scored rollouts that the run contained when it was opened. */
  readonly existing: readonly Rollout[];
  has(key: RolloutKey): boolean;
  /** Throws a `WriteError` if the disk is full, for example. The rows before are kept. */
  append(rollout: Rollout): Promise<void>;
  /** Replaces fields of the metadata atomically. */
  update(fields: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

export interface ReadRunOptions {
  /**
   * Whether messages contain the bytes of their images, audio and files, as `data:` URLs. A rollout whose file is missing or
   * damaged is a problem then. Without the bytes, messages contain references such as `media/<SHA-256>.png`. Default true.
   */
  readonly withMedia?: boolean | undefined;
  /** Rejects with its reason when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads a run of this package, of verifiers 0.3 or of verifiers 0.4. Throws a `ConfigError` if `path` is not a run. */
export async function readRun(path: string, options: ReadRunOptions = {}): Promise<StoredRun> {
  const metadata = await readMetadata(path);
  const rollouts = new Map<string, Rollout>();
  const problems: UnreadableLine[] = [];
  for await (const read of readRollouts(path, metadata, options))
    if ("problem" in read) problems.push(read);
    else rollouts.set(keyOf(read), read);
  const all = [...rollouts.values()];
  const counts = isTraceRun(path) ? countsOf(all) : {};
  return { path, metadata: { ...metadata, ...counts }, rollouts: all, problems };
}

/** Reads the rollouts of a run one by one, in the order in which they were written, also earlier versions of a rollout. */
export async function* readRollouts(
  path: string,
  metadata: Metadata,
  { withMedia = true, signal }: ReadRunOptions = {},
): AsyncGenerator<Rollout | UnreadableLine> {
  const numbers = new RolloutNumbers();
  const media = withMedia ? new MediaReader(path) : undefined;
  const file = isTraceRun(path) ? tracesFile : resultsFile;
  try {
    for await (const { number, text } of lines(join(path, file))) {
      signal?.throwIfAborted();
      const record = readRecord(text);
      if (!isReadable(record)) {
        yield { line: number, problem: record.problem };
        continue;
      }
      for (const read of record) {
        const rollout = media ? await resolved(read.rollout, media) : read.rollout;
        if (!isReadable(rollout)) {
          yield { line: number, problem: rollout.problem };
          continue;
        }
        const environment = rollout.environment || metadata.env_id;
        yield { ...rollout, environment, rolloutIndex: numbers.next(read) };
      }
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}

function resolved(rollout: Rollout, media: MediaReader): Promise<Rollout | UnreadableRow> {
  return media.resolve(rollout).catch((error: unknown) => ({ problem: messageOf(error) }));
}

/** Creates a run in a new folder. Throws a `WriteError` if this process cannot write there. */
export async function createRun(path: string, metadata: Metadata): Promise<RunWriter> {
  const unlock = await lockRun(path);
  try {
    await replaceFile(join(path, metadataFile), pretty(metadata));
    await replaceFile(join(path, resultsFile), "");
    return await createWriter(path, metadata, [], unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * Opens a run to continue it. Keeps the scored rollouts that `select` returns, by default all; moves the others to
 * `removed.jsonl`. Removes failed rollouts, incomplete lines and duplicates from the file, so that the caller plays them again.
 */
export async function reopenRun(
  path: string,
  select: (rollouts: readonly Rollout[]) => readonly Rollout[] = (rollouts) => rollouts,
  { signal }: Pick<ReadRunOptions, "signal"> = {},
): Promise<RunWriter> {
  await readMetadata(path);
  const unlock = await lockRun(path);
  try {
    const { metadata, rollouts } = await readRun(path, { signal });
    const scored = rollouts.filter(({ status }) => status === "scored");
    const existing = select(scored);
    const keys = new Set(existing.map(keyOf));
    const removed = scored.filter((rollout) => !keys.has(keyOf(rollout)));
    const media = new MediaWriter(path);
    if (removed.length > 0)
      await appendText(join(path, removedFile), await rowLines(removed, media));
    await replaceFile(join(path, resultsFile), await rowLines(existing, media));
    return await createWriter(path, metadata, existing, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function createWriter(
  path: string,
  initial: Metadata,
  existing: readonly Rollout[],
  unlock: () => Promise<void>,
): Promise<RunWriter> {
  const results = join(path, resultsFile);
  const file = await open(results, "a");
  let { size } = await file.stat();
  const keys = new Set(existing.map(keyOf));
  const enqueue = pLimit(1);
  const media = new MediaWriter(path);
  let metadata = initial;
  return {
    path,
    existing,
    has: (key) => keys.has(keyOf(key)),
    append: (rollout) =>
      enqueue(async () => {
        const bytes = Buffer.from(rowLine(await media.store(rollout)));
        try {
          await file.appendFile(bytes);
          size += bytes.length;
        } catch (error) {
          // The next row must not continue a line of which only a part was written.
          await file.truncate(size).catch(() => {});
          throw new WriteError(`write ${results}`, error);
        }
      }),
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

/** Reads the metadata of a run. Throws a `ConfigError` if `path` is not a run. */
export async function readMetadata(path: string): Promise<Metadata> {
  if (isTraceRun(path)) return await traceMetadata(path);
  const file = join(path, metadataFile);
  try {
    return parseMetadata(parseJson(await readFile(file, "utf8")));
  } catch (error) {
    throw new ConfigError(
      `${path} is not a run: cannot read ${metadataFile} (${messageOf(error)}).`,
      [],
      { cause: error },
    );
  }
}

async function rowLines(rollouts: readonly Rollout[], media: MediaWriter): Promise<string> {
  const stored = await Array.fromAsync(rollouts, (rollout) => media.store(rollout));
  return stored.map(rowLine).join("");
}

async function appendText(path: string, text: string): Promise<void> {
  try {
    await appendFile(path, text, { flush: true });
  } catch (error) {
    throw new WriteError(`write ${path}`, error);
  }
}

function rowLine(rollout: Rollout): string {
  return `${JSON.stringify(toRow(rollout))}\n`;
}

function pretty(metadata: Metadata): string {
  return `${JSON.stringify(metadata, undefined, 2)}\n`;
}

function keyOf({ exampleKey, rolloutIndex }: RolloutKey): string {
  return `${exampleKey} ${rolloutIndex}`;
}
