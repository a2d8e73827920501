import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError, type Rollout } from "@envs/core";
import { messageOf, type RolloutKey } from "@envs/core/engine";

import { parseJson } from "../json.ts";
import { type Metadata, parseMetadata } from "../metadata.ts";
import { isReadable, readRecord } from "../read-record.ts";
import type { UnreadableRow } from "../read-rollout.ts";
import { RolloutNumbers } from "../rollout-numbers.ts";
import { lines } from "./json-lines.ts";
import { MediaReader } from "./media-store.ts";
import type { StoredRun, UnreadableLine } from "./stored-run.ts";
import { countsOf, isTraceRun, traceMetadata, tracesFile } from "./trace-run.ts";

export const resultsFile = "results.jsonl";
export const metadataFile = "metadata.json";

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

/** The key of a rollout as text. */
export function keyOf({ exampleKey, rolloutIndex }: RolloutKey): string {
  return `${exampleKey} ${rolloutIndex}`;
}
