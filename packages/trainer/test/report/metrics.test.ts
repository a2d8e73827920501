import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";

import { type MetricsRow, openMetrics, readMetrics } from "../../src/report/metrics.ts";
import type { TrainingPosition } from "../../src/train/train.ts";
import { demoMetrics } from "./fixtures/demo.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "metrics-"));
  path = join(folder, "metrics.jsonl");
});
afterEach(() => rm(folder, { recursive: true }));

function row(
  phase: string,
  step: number,
  values: MetricsRow["values"] = { reward: step },
): MetricsRow {
  return { phase, step, kind: "rl", at: step, values };
}

async function write(rows: readonly MetricsRow[], resumeAt?: TrainingPosition): Promise<void> {
  const writer = await openMetrics(path, resumeAt);
  for (const row of rows) await writer.append(row);
  await writer.close();
}

test("readMetrics() returns the rows of several writers in order", async () => {
  const rows = demoMetrics(1);
  await write(rows.slice(0, 100));
  await write(rows.slice(100));
  expect(await readMetrics(path)).toEqual(rows);
});

test("append() writes rows in order without awaiting each", async () => {
  const rows = demoMetrics(2);
  const writer = await openMetrics(path);
  for (const row of rows) void writer.append(row);
  await writer.close();
  expect(await readMetrics(path)).toEqual(rows);
});

test("append() writes NaN and infinite numbers as null", async () => {
  await write([row("rl", 1, { loss: Number.NaN, kl: Infinity, reward: 0 })]);
  expect(await readMetrics(path)).toEqual([row("rl", 1, { loss: null, kl: null, reward: 0 })]);
});

test("readMetrics() ignores an incomplete last line, and openMetrics() removes it", async () => {
  await write([row("rl", 1)]);
  await appendFile(path, '{"phase":"rl","st');
  expect(await readMetrics(path)).toEqual([row("rl", 1)]);
  await write([row("rl", 2)]);
  expect(await readMetrics(path)).toEqual([row("rl", 1), row("rl", 2)]);
});

test("a resumed run writes the same file, wherever it was killed", async () => {
  const rows = demoMetrics(3).map((row, index) =>
    index % 7 === 0 ? { ...row, values: { ...row.values, "score/größe": 1 } } : row,
  );
  const whole = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const bytes = Buffer.from(whole);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(bytes.length),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (killedAt, share) => {
        await writeFile(path, bytes.subarray(0, killedAt));
        const written = await readMetrics(path);
        const point = written[Math.floor(share * (written.length - 1))];
        await rm(path);
        await writeFile(path, bytes.subarray(0, killedAt));
        if (point === undefined) return write(rows);
        const writer = await openMetrics(path, point);
        // The run repeats the steps after its checkpoint.
        const existing = await readMetrics(path);
        for (const row of rows.slice(existing.length)) await writer.append(row);
        await writer.close();
        expect(existing.at(-1)).toMatchObject({ phase: point.phase, step: point.step });
        expect(await readFile(path, "utf8")).toBe(whole);
      },
    ),
    { numRuns: 25 },
  );
});

test("openMetrics() keeps earlier phases when it resumes at the start of a phase", async () => {
  await write([row("sft", 1), row("sft", 2), row("rl", 1), row("rl", 2), row("rl2", 1)]);
  await write([], { phase: "rl", step: 0 });
  expect(await readMetrics(path)).toEqual([row("sft", 1), row("sft", 2)]);
});

test("openMetrics() keeps all rows when it resumes at a later phase", async () => {
  await write([row("sft", 1), row("sft", 2)]);
  await write([], { phase: "rl", step: 0 });
  expect(await readMetrics(path)).toHaveLength(2);
});

test("readMetrics() returns the last row of the same step and kind", async () => {
  await write([row("rl", 1, { reward: 0 }), row("rl", 2), row("rl", 1, { reward: 1 })]);
  expect(await readMetrics(path)).toEqual([row("rl", 1, { reward: 1 }), row("rl", 2)]);
});

test("an invalid line is reported with its number", async () => {
  await write([row("rl", 1)]);
  await appendFile(path, "hello\n");
  await expect(readMetrics(path)).rejects.toThrow(/metrics\.jsonl:2 is not JSON.*Remove the line/);
  await writeFile(path, '{"phase":"rl"}\n');
  await expect(openMetrics(path)).rejects.toThrow(/metrics\.jsonl:1 is not a row of metrics/);
});

test("readMetrics() rejects a missing file", async () => {
  await expect(readMetrics(path)).rejects.toThrow(/Cannot read/);
});
