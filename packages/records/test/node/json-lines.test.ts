import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { jsonLines } from "@envs/records/node";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";

import { lines } from "../../src/node/json-lines.ts";

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-lines-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "rows.jsonl");
}

/** Characters at which some readers end a line, and characters of two to four bytes. */
const separators = fc.constantFrom("\u2028", "\u2029", "\u0085", "\r", "\n", "\v", "\f", "é", "😀");
const texts = fc.string({
  unit: fc.oneof(separators, fc.string({ unit: "binary", maxLength: 1 })),
});

test("reads every row that was written, whatever its strings contain", async () => {
  const file = await temporaryFile();
  const rows = fc.array(fc.record({ id: texts, prompt: texts }));
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.constantFrom("\n", "\r\n"),
      fc.boolean(),
      async (written, end, isEnded) => {
        const text = written.map((row) => JSON.stringify(row)).join(end) + (isEnded ? end : "");
        await writeFile(file, text);
        const schema = z.object({ id: z.string(), prompt: z.string() });
        expect(await collect(jsonLines(file, schema))).toEqual(written);
      },
    ),
  );
});

test("reads lines longer than a chunk of the stream, with characters on its borders", async () => {
  const file = await temporaryFile();
  // Chunks have 64 KiB, and 3 does not divide that: characters of three bytes lie on borders.
  const written = ["€".repeat(150_000), "", "\u2028", "x".repeat(65_535), "€".repeat(22_000)];
  await writeFile(file, written.map((text) => JSON.stringify(text)).join("\n"));
  expect(await collect(jsonLines(file, z.string()))).toEqual(written);
});

test("counts empty lines and yields an unfinished last line", async () => {
  const file = await temporaryFile();
  await writeFile(file, '1\r\n\n  \n2\n{"torn');
  expect(await collect(lines(file))).toEqual([
    { number: 1, text: "1\r" },
    { number: 4, text: "2" },
    { number: 5, text: '{"torn' },
  ]);
});
