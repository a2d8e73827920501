import { mkdir, open, readFile, rename, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError, messageOf } from "../errors.ts";
import { type Metadata, parseMetadata } from "../records/metadata.ts";
import { isReadable, parseRow } from "../records/read-row.ts";
import { toRow } from "../records/write-row.ts";
import type { Rollout } from "../rollout-record.ts";
import type { RolloutKey } from "../rollouts.ts";
import { lines } from "./json-lines.ts";
import { lockRun } from "./run-lock.ts";

const resultsFile = "results.jsonl";
const metadataFile = "metadata.json";

/** A run as it lies on disk. */
export interface StoredRun {
  readonly path: string;
  readonly metadata: Metadata;
  /** One of each rollout, the last written. */
  readonly rollouts: readonly Rollout[];
  /** Lines that could not be read, with their numbers; the rollouts in them are as good as not played. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
}

/** A run that is being written. What was appended survives the end of this process, however it ends. */
export interface RunWriter {
  readonly path: string;
  /** The scored rollouts that were there when the run was opened. */
  readonly kept: readonly Rollout[];
  has(key: RolloutKey): boolean;
  append(rollout: Rollout): Promise<void>;
  /** Replaces fields of the metadata, all or nothing. */
  update(fields: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

/** Reads a run. Throws a `ConfigError` if there is none at `path`. */
export async function readRun(path: string): Promise<StoredRun> {
  const metadata = await readMetadata(path);
  const rollouts = new Map<string, Rollout>();
  const problems: { line: number; problem: string }[] = [];
  const copies = new Map<string, number>();
  try {
    for await (const { number, text } of lines(join(path, resultsFile))) {
      const read = parseRow(text);
      if (!isReadable(read)) {
        problems.push({ line: number, problem: read.problem });
        continue;
      }
      const rollout = { ...read, environment: read.environment || metadata.env_id };
      // Rows of verifiers do not number the rollouts of an example: they come in order.
      if (metadata.schema_version === 0) {
        const copy = copies.get(rollout.exampleKey) ?? 0;
        copies.set(rollout.exampleKey, copy + 1);
        rollouts.set(keyOf({ ...rollout, rolloutIndex: copy }), { ...rollout, rolloutIndex: copy });
      } else rollouts.set(keyOf(rollout), rollout);
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  return { path, metadata, rollouts: [...rollouts.values()], problems };
}

/** Starts a run in a new folder. */
export async function createRun(path: string, metadata: Metadata): Promise<RunWriter> {
  await mkdir(path, { recursive: true });
  const unlock = await lockRun(path);
  await replace(join(path, metadataFile), pretty(metadata));
  await replace(join(path, resultsFile), "");
  return writer(path, metadata, { kept: [], unlock });
}

/**
 * Opens a run to go on with it. Keeps the scored rollouts that `keep` agrees to; failed ones, torn lines and duplicates
 * leave the file, to be played again.
 */
export async function reopenRun(
  path: string,
  keep: (rollouts: readonly Rollout[]) => readonly Rollout[] = (rollouts) => rollouts,
): Promise<RunWriter> {
  await readMetadata(path);
  const unlock = await lockRun(path);
  try {
    const { metadata, rollouts } = await readRun(path);
    const kept = keep(rollouts.filter(({ status }) => status === "scored"));
    await replace(join(path, resultsFile), kept.map(rowLine).join(""));
    return await writer(path, metadata, { kept, unlock });
  } catch (error) {
    await unlock();
    throw error;
  }
}

async function writer(
  path: string,
  initial: Metadata,
  { kept, unlock }: { kept: readonly Rollout[]; unlock: () => Promise<void> },
): Promise<RunWriter> {
  const file: FileHandle = await open(join(path, resultsFile), "a");
  const keys = new Set(kept.map(keyOf));
  let metadata = initial;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  return {
    path,
    kept,
    has: (key) => keys.has(keyOf(key)),
    append: (rollout) =>
      inTurn(async () => {
        await file.appendFile(rowLine(rollout));
      }),
    update: (fields) =>
      inTurn(() => {
        metadata = { ...metadata, ...fields };
        return replace(join(path, metadataFile), pretty(metadata));
      }),
    close: () =>
      inTurn(async () => {
        await file.close();
        await unlock();
      }),
  };
}

/** Reads what a run is, without its rollouts. Throws a `ConfigError` if there is none at `path`. */
export async function readMetadata(path: string): Promise<Metadata> {
  const file = join(path, metadataFile);
  try {
    return parseMetadata(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    throw new ConfigError(
      `${path} is not a run: ${metadataFile} cannot be read (${messageOf(error)}).`,
      [],
      { cause: error },
    );
  }
}

/** Writes beside the file and renames, so that a reader sees the old or the new, never half. */
async function replace(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, text, { flush: true });
  await rename(draft, path);
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
