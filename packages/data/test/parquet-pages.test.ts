import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parquet } from "@envs/data";
import fc from "fast-check";
import { parquetWriteBuffer } from "hyparquet-writer";
import { snappyCompress } from "hyparquet-writer/src/snappy.js";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";

import { ColumnReader } from "../src/parquet/column-reader.ts";
import { openParquet } from "../src/parquet/open-parquet.ts";
import { unsnappy } from "../src/parquet/snappy.ts";
import { parquetFiles } from "./python-files.ts";

const count = 20_000;
const turnsOf = (row: number) =>
  Array.from({ length: row % 4 }, (_, turn) => ({
    role: "user",
    content: `${row}.${turn} `.repeat(9),
  }));

let path: string;
/** The same rows in one page, as DuckDB writes them. */
let onePage: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "envs-data-pages-"));
  path = join(folder, "rows.parquet");
  onePage = join(folder, "one-page.parquet");
  await writeFile(path, written({ codec: "UNCOMPRESSED", pageSize: 10_000 }));
  await writeFile(onePage, written({ codec: "SNAPPY", pageSize: 2 ** 30 }));
  return () => rm(folder, { recursive: true, force: true });
});

function written(options: Pick<Parameters<typeof parquetWriteBuffer>[0], "codec" | "pageSize">) {
  const optional = { repetition_type: "OPTIONAL" } as const;
  const text = { type: "BYTE_ARRAY", converted_type: "UTF8", ...optional } as const;
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: "id", data: Array.from({ length: count }, (_, row) => row), offsetIndex: false },
      {
        name: "turns",
        data: Array.from({ length: count }, (_, row) => turnsOf(row)),
        offsetIndex: false,
      },
    ],
    schema: [
      { name: "root", num_children: 2 },
      { name: "id", type: "INT32", ...optional },
      { name: "turns", num_children: 1, converted_type: "LIST", ...optional },
      { name: "list", num_children: 1, repetition_type: "REPEATED" },
      { name: "element", num_children: 2, ...optional },
      { name: "role", ...text },
      { name: "content", ...text },
    ],
    rowGroupSize: count,
    ...options,
  });
  return new Uint8Array(bytes);
}

/** The reader of the nested column, and how many bytes it has read. */
async function countingReader(name = path, maxPage?: number) {
  const file = await openParquet(name);
  const read = { bytes: 0 };
  const { buffer } = file;
  const counting = {
    byteLength: buffer.byteLength,
    async slice(start: number, end?: number) {
      const bytes = await buffer.slice(start, end);
      read.bytes += bytes.byteLength;
      return bytes;
    },
  };
  const group = file.metadata.row_groups[0]!;
  return { reader: new ColumnReader({ ...file, buffer: counting }, group, "turns", maxPage), read };
}

test("reads a few pages for the first rows of a nested column without an offset index", async () => {
  const { reader, read } = await countingReader();
  expect(await reader.read(0, 20)).toEqual(Array.from({ length: 20 }, (_, row) => turnsOf(row)));
  expect(reader.size).toBeGreaterThan(2_000_000);
  expect(read.bytes).toBeLessThan(700_000);
});

test("goes back to a page that it has passed", async () => {
  const { reader, read } = await countingReader();
  expect(await reader.read(19_990, 19_993)).toEqual([19_990, 19_991, 19_992].map(turnsOf));
  const before = read.bytes;
  expect(await reader.read(10_001, 10_003)).toEqual([10_001, 10_002].map(turnsOf));
  expect(read.bytes - before).toBeLessThan(700_000);
});

test("reads all rows in order", async () => {
  const schema = z.object({ id: z.number(), turns: z.array(z.object({ content: z.string() })) });
  const rows = await Array.fromAsync(parquet(path, { schema }));
  expect(rows).toHaveLength(count);
  expect(rows.at(-1)).toEqual({
    id: 19_999,
    turns: turnsOf(19_999).map(({ content }) => ({ content })),
  });
});

test("reads the beginning of a page for its first rows", async () => {
  const { reader, read } = await countingReader(onePage, 2 ** 16);
  expect(await reader.read(0, 20)).toEqual(Array.from({ length: 20 }, (_, row) => turnsOf(row)));
  const before = read.bytes;
  expect(await reader.read(19_990, 19_993)).toEqual([19_990, 19_991, 19_992].map(turnsOf));
  expect(await reader.read(7, 9)).toEqual([7, 8].map(turnsOf));
  const whole = await countingReader(onePage, Infinity);
  await whole.reader.read(0, 20);
  expect(before).toBeLessThan(whole.read.bytes);
});

test.each(parquetFiles)(
  "reads the same values from %s in pieces and from whole pages",
  async (name) => {
    const file = await openParquet(join(import.meta.dirname, "fixtures", `${name}.parquet`));
    for (const group of file.metadata.row_groups)
      for (const { element } of file.columns) {
        const [pieces, whole] = [0, Infinity].map(
          (maxPage) => new ColumnReader(file, group, element.name, maxPage),
        );
        const rows = Number(group.num_rows);
        for (const [start, end] of [
          [0, 1],
          [1, 3],
          [2, rows],
          [0, rows],
        ] as const)
          expect(await pieces!.read(start, end)).toEqual(await whole!.read(start, end));
      }
  },
);

test("decompresses snappy in pieces of any size", async () => {
  const element = fc.constantFrom("a", "abcabcabcabc", "0123456789", "é".repeat(70));
  const text = fc.array(element, { maxLength: 400 }).map((parts) => Buffer.from(parts.join("")));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 200 }), async (bytes, size) => {
      async function* pieces() {
        const compressed = snappyCompress(bytes);
        for (let at = 0; at < compressed.length; at += size)
          yield compressed.subarray(at, at + size);
      }
      const output = Buffer.concat(await Array.fromAsync(unsnappy(pieces())));
      expect(output.equals(bytes)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test("reports snappy data that end early, or refer to bytes before the beginning", async () => {
  for (const bytes of [
    [8, 0x1c, 1, 2],
    [8, 1, 9, 0, 0, 0],
  ]) {
    async function* pieces() {
      yield new Uint8Array(bytes);
    }
    await expect(Array.fromAsync(unsnappy(pieces()))).rejects.toThrow("a page is damaged");
  }
});
