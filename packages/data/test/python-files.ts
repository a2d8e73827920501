import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { csv, jsonl, parquet } from "@envs/data";
import * as z from "zod";

/** The names of the Parquet files that write_files.py writes. */
export const parquetFiles = [
  "values",
  "nested",
  "split-pages",
  "snappy",
  "gzip",
  "zstd",
  "lz4",
  "brotli",
  "pages",
  "delta",
  "empty",
  "int96",
  "datasets",
];

/** The names of its text files. */
export const textFiles = [
  "rows.jsonl",
  "rows.jsonl.gz",
  "rows.jsonl.zst",
  "array.json",
  "rows.csv",
];

/** Reads a file of write_files.py. Returns our rows and those of Python. */
export async function readBoth(folder: string, file: string) {
  const [name, extension] = file.split(/\.(.*)/s);
  const path = join(folder, file);
  const schema = z.record(z.string(), z.unknown());
  const rows = await Array.fromAsync<unknown>(
    extension === "parquet"
      ? parquet(path, { schema })
      : extension === "csv"
        ? csv(path, { schema: z.object({ question: z.string(), answer: z.coerce.number() }) })
        : jsonl(path, { schema }),
  );
  const expected = JSON.parse(
    await readFile(join(folder, `${name === "array" ? "rows" : name}.json`), "utf8"),
  ) as unknown;
  return { rows: rows.map(comparable), expected };
}

/** Bytes and integers above 2^53 in the form in which write_files.py writes them. */
function comparable(value: unknown): unknown {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") };
  if (typeof value === "bigint") return { bigint: String(value) };
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, comparable(inner)]),
  );
}
