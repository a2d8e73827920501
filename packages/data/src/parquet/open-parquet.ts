import { type FileHandle, open } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetScan,
  type ParquetQueryFilter,
  type ParquetScan,
  parquetSchema,
  type SchemaTree,
} from "hyparquet";
import { compressors as portable } from "hyparquet-compressors";

import { timestampText, withoutLossyTypes } from "./values.ts";

/** Node's decompressors, which are several times as fast as portable ones. */
const compressors: Compressors = {
  ...portable,
  GZIP: (input) => gunzipSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
  ZSTD: (input) => zstdDecompressSync(input),
};

/** An open Parquet file, with the types that its author declared. */
export interface ParquetFile {
  readonly metadata: FileMetaData;
  readonly columns: readonly SchemaTree[];
  /** Plans to read `columns`, without the row groups in which `pruningFilter` cannot be true. */
  scan(
    columns: readonly string[],
    pruningFilter: ParquetQueryFilter | undefined,
  ): Promise<ParquetScan>;
}

/** Reads the footer of a Parquet file. The file is opened for each read, because an iteration may never end. */
export async function openParquet(path: string): Promise<ParquetFile> {
  const file = await bufferOf(path);
  const declared = await parquetMetadataAsync(file, { geoparquet: false });
  const metadata = { ...declared, schema: declared.schema.map(withoutLossyTypes) };
  return {
    metadata: declared,
    columns: parquetSchema(declared).children,
    scan: (columns, pruningFilter) =>
      parquetScan({
        file,
        metadata,
        columns: [...columns],
        compressors,
        // Columns that are not declared as text stay bytes.
        utf8: false,
        parsers: { timestampFromNanoseconds: (ticks) => timestampText(ticks, 9) },
        ...(pruningFilter === undefined ? {} : { pruningFilter }),
      }),
  };
}

async function bufferOf(path: string): Promise<AsyncBuffer> {
  const read = async <Result>(work: (file: FileHandle) => Promise<Result>): Promise<Result> => {
    await using file = await open(path);
    return await work(file);
  };
  const byteLength = await read(async (file) => (await file.stat()).size);
  return {
    byteLength,
    slice: (start, end = byteLength) =>
      read(async (file) => {
        const { buffer } = await file.read(new Uint8Array(end - start), 0, end - start, start);
        return buffer.buffer;
      }),
  };
}
