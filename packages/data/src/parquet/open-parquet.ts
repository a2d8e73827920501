import { type FileHandle, open } from "node:fs/promises";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";

import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  type ParquetQueryFilter,
  type ParquetRowRange,
  parquetScan,
  parquetSchema,
  type SchemaTree,
} from "hyparquet";
import { compressors as portable } from "hyparquet-compressors";

import { withoutLossyTypes } from "./values.ts";

/** Node's decompressors, which are several times as fast as portable ones. */
export const compressors: Compressors = {
  ...portable,
  GZIP: (input) => gunzipSync(input),
  BROTLI: (input) => brotliDecompressSync(input),
  ZSTD: (input) => zstdDecompressSync(input),
};

/** An open Parquet file, with the types that its author declared. */
export interface ParquetFile {
  readonly buffer: AsyncBuffer;
  readonly metadata: FileMetaData;
  readonly columns: readonly SchemaTree[];
  /** The root of the columns with the types that hyparquet decodes without a loss. */
  readonly decoded: SchemaTree;
  /** The rows of the file without the row groups in which `pruningFilter` cannot be true. */
  ranges(pruningFilter: ParquetQueryFilter | undefined): Promise<readonly ParquetRowRange[]>;
}

/** Reads the footer of a Parquet file. The file is opened for each read, because an iteration may never end. */
export async function openParquet(path: string): Promise<ParquetFile> {
  const buffer = await bufferOf(path);
  const declared = await parquetMetadataAsync(buffer, { geoparquet: false });
  const metadata = { ...declared, schema: declared.schema.map(withoutLossyTypes) };
  return {
    buffer,
    metadata: declared,
    columns: parquetSchema(declared).children,
    decoded: parquetSchema(metadata),
    async ranges(pruningFilter) {
      const filter = pruningFilter === undefined ? {} : { pruningFilter };
      return (await parquetScan({ file: buffer, metadata, ...filter })).ranges;
    },
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
