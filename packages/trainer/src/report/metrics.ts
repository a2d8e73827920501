import { type FileHandle, open } from "node:fs/promises";

import { ConfigError } from "@envs/core";
import * as z from "zod";

import type { TrainingPosition } from "../train/train.ts";

const metricsRow = z.object({
  phase: z.string().min(1),
  /** Counts from 1 within the phase; 0 is before its first step. */
  step: z.int().min(0),
  kind: z.enum(["sft", "rl", "eval"]),
  /** Seconds since the start of the run. */
  at: z.number(),
  /** By name: `reward`, `score/win`, for evaluations `<opponent>/win`. `null` if the value is missing or not finite. */
  values: z.record(z.string(), z.number().nullable()),
});

/** One row of `metrics.jsonl`: the measurements of a step. */
export type MetricsRow = Readonly<z.output<typeof metricsRow>>;

/** Appends rows to a file of metrics. */
export interface MetricsWriter {
  /** Writes one line. NaN and infinite numbers become `null`. */
  append(row: MetricsRow): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a metrics file for appending, or creates it. Removes an incomplete last line, and the rows after `resumeAt`, which
 * the resumed run writes again.
 */
export async function openMetrics(
  path: string,
  resumeAt?: TrainingPosition,
): Promise<MetricsWriter> {
  const file = await open(path, "a+");
  try {
    const lines = parseLines(await readAll(file), path);
    const count = resumeAt === undefined ? lines.length : countUpTo(lines, resumeAt);
    await file.truncate(lines[count - 1]?.end ?? 0);
    return createWriter(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function createWriter(file: FileHandle): MetricsWriter {
  let lastWrite: Promise<unknown> = Promise.resolve();
  return {
    append({ phase, step, kind, at, values }) {
      // JSON.stringify writes NaN and infinite numbers as null.
      const write = lastWrite.then(() =>
        file.appendFile(`${JSON.stringify({ phase, step, kind, at, values })}\n`),
      );
      lastWrite = write.catch(() => {});
      return write;
    },
    async close() {
      await lastWrite;
      await file.close();
    },
  };
}

/**
 * Reads a metrics file. Ignores an incomplete last line, and all but the last row of the same phase, step and kind. Throws a
 * `ConfigError` with the line number if another line is not valid.
 */
export async function readMetrics(path: string): Promise<readonly MetricsRow[]> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    throw new ConfigError(`Cannot read ${path}: ${String(error)}.`, [], { cause: error });
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
  /** The byte offset of the next line. */
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
    // A line without its newline is incomplete, because both are written together.
    if (newline === -1) return lines;
    const text = decoder.decode(bytes.subarray(start, newline));
    start = newline + 1;
    if (text.trim() !== "") lines.push({ row: parseRow(text, `${path}:${number}`), end: start });
  }
}

function parseRow(text: string, location: string): MetricsRow {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const message = `${location} is not JSON: another program wrote to the file. Remove the line.`;
    throw new ConfigError(message, [], { cause: error });
  }
  const parsed = metricsRow.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${location} is not a row of metrics:\n${z.prettifyError(parsed.error)}`);
}

/** The number of rows up to `position`, including all rows of earlier phases. */
function countUpTo(lines: readonly Line[], position: TrainingPosition): number {
  let isReached = false;
  for (const [index, { row }] of lines.entries()) {
    if (row.phase === position.phase) isReached = true;
    else if (isReached) return index;
    if (isReached && row.step > position.step) return index;
  }
  return lines.length;
}
