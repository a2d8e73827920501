import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { parquet } from "@envs/data";
import { parquetWriteBuffer } from "hyparquet-writer";
import { beforeAll, expect, test } from "vitest";
import * as z from "zod";

import { ColumnReader } from "../src/parquet/column-reader.ts";
import { openParquet } from "../src/parquet/open-parquet.ts";

const count = 20_000;
const turnsOf = (row: number) =>
  Array.from({ length: row % 4 }, (_, turn) => ({
    role: "user",
    content: `${row}.${turn} `.repeat(9),
  }));

let path: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "envs-data-pages-"));
  path = join(folder, "rows.parquet");
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
    codec: "UNCOMPRESSED",
    rowGroupSize: count,
    pageSize: 10_000,
  });
  await writeFile(path, new Uint8Array(bytes));
  return () => rm(folder, { recursive: true, force: true });
});

/** The reader of the nested column, and how many bytes it has read. */
async function countingReader() {
  const file = await openParquet(path);
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
  return { reader: new ColumnReader({ ...file, buffer: counting }, group, "turns"), read };
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
