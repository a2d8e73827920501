import { type FileHandle, open } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import * as z from "zod";

/** One row of `metrics.jsonl`: what was measured at a step. */
export interface MetricsRow {
  readonly phase: string;
  /** Counted within the phase, from 1; 0 is before its first step. */
  readonly step: number;
  readonly kind: "sft" | "rl" | "eval";
  /** Seconds since the start of the run. */
  readonly at: number;
  /** By name, as `seriesOf` knows them: `reward`, `score/win`, for evaluations `<opponent>/win`. `null`: not to be had. */
  readonly values: Readonly<Record<string, number | null>>;
}

/** The schema of a {@link MetricsRow}. */
const metricsRow: z.ZodType<MetricsRow> = z.object({
  phase: z.string().min(1),
  step: z.int().min(0),
  kind: z.enum(["sft", "rl", "eval"]),
  at: z.number(),
  values: z.record(z.string(), z.number().nullable()),
});

/** A place in a run: after so many steps of a phase. */
export interface RunPoint {
  readonly phase: string;
  readonly step: number;
}

/** Appends rows to a file of metrics. */
export interface MetricsWriter {
  /** The rows that the file held when it was opened. */
  readonly kept: readonly MetricsRow[];
  /** Writes one line. Numbers that JSON cannot carry (NaN, infinite) become `null`. */
  append(row: MetricsRow): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file of metrics to append to it, and makes it if there is none. What a kill left of the last line is cut off;
 * with `resumeAt`, so are the rows after that point, which the run is about to write again.
 */
export async function openMetrics(path: string, resumeAt?: RunPoint): Promise<MetricsWriter> {
  const file = await open(path, "a+");
  try {
    const lines = parseLines(await readAll(file), path);
    const kept = resumeAt === undefined ? lines.length : lengthUpTo(lines, resumeAt);
    await file.truncate(lines[kept - 1]?.end ?? 0);
    return writer(
      file,
      lines.slice(0, kept).map(({ row }) => row),
    );
  } catch (error) {
    await file.close();
    throw error;
  }
}

function writer(file: FileHandle, kept: readonly MetricsRow[]): MetricsWriter {
  let last: Promise<unknown> = Promise.resolve();
  return {
    kept,
    append({ phase, step, kind, at, values }) {
      // JSON.stringify writes NaN and infinite numbers as null.
      const done = last.then(() =>
        file.appendFile(`${JSON.stringify({ phase, step, kind, at, values })}\n`),
      );
      last = done.catch(() => {});
      return done;
    },
    async close() {
      await last;
      await file.close();
    },
  };
}

/**
 * Reads a file of metrics. A torn last line is left out; of rows with the same phase, step and kind the last counts.
 * Throws a `ConfigError` that names the line if another one is damaged.
 */
export async function readMetrics(path: string): Promise<readonly MetricsRow[]> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${String(error)}.`, [], { cause: error });
  }
  try {
    const rows = new Map<string, MetricsRow>();
    for (const { row } of parseLines(await readAll(file), path))
      rows.set(JSON.stringify([row.phase, row.step, row.kind]), row);
    return [...rows.values()];
  } finally {
    await file.close();
  }
}

interface Line {
  readonly row: MetricsRow;
  /** Where the next line begins, in bytes. */
  readonly end: number;
}

async function readAll(file: FileHandle): Promise<Uint8Array> {
  const { size } = await file.stat();
  const bytes = new Uint8Array(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  return bytes.subarray(0, bytesRead);
}

function parseLines(bytes: Uint8Array, path: string): readonly Line[] {
  const lines: Line[] = [];
  const decoder = new TextDecoder();
  let start = 0;
  for (let number = 1; ; number += 1) {
    const newline = bytes.indexOf(10, start);
    // A line is written together with its end: one without it is torn.
    if (newline === -1) return lines;
    const text = decoder.decode(bytes.subarray(start, newline));
    start = newline + 1;
    if (text.trim() !== "") lines.push({ row: parse(text, `${path}:${number}`), end: start });
  }
}

function parse(text: string, where: string): MetricsRow {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const advice = "Something other than a training run wrote to the file; remove the line.";
    throw new ConfigError(`${where} is not JSON. ${advice}`, [], {
      cause: error,
    });
  }
  const parsed = metricsRow.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${where} is not a row of metrics:\n${z.prettifyError(parsed.error)}`);
}

/** How many rows were written up to `point`; a phase that came before is kept whole. */
function lengthUpTo(lines: readonly Line[], point: RunPoint): number {
  let isReached = false;
  for (const [index, { row }] of lines.entries()) {
    if (row.phase === point.phase) isReached = true;
    else if (isReached) return index;
    if (isReached && row.step > point.step) return index;
  }
  return lines.length;
}
