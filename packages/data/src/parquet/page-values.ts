import { Readable, pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";

import type { CompressionCodec, DecodedArray } from "hyparquet";
import { decompressPage } from "hyparquet/src/datapage.js";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";

import type { ByteReader } from "./byte-reader.ts";
import { compressors } from "./open-parquet.ts";
import { unsnappy } from "./snappy.ts";

/** The values of a page, which are read in their order. */
export interface PageValues {
  skip(count: number): Promise<void>;
  read(count: number): Promise<DecodedArray>;
}

/** Values that were decoded together. */
export function decodedValues(values: DecodedArray): PageValues {
  let position = 0;
  return {
    async skip(count) {
      position += count;
    },
    async read(count) {
      position += count;
      return values.slice(position - count, position);
    },
  };
}

/** Texts and other bytes, of which only those that are read are in memory. `width`: the length of each, if all have the same. */
export function streamedValues(
  bytes: ByteReader,
  lengths: ArrayLike<number> | undefined,
  width: number | undefined,
): PageValues {
  let position = 0;
  const nextLength = async (): Promise<number> => {
    position += 1;
    if (lengths !== undefined) return lengths[position - 1]!;
    if (width !== undefined) return width;
    if (bytes.present < 4 && !(await bytes.fill(4))) throw ended();
    return bytes.integer(4);
  };
  return {
    async skip(count) {
      for (let value = 0; value < count; value += 1) await bytes.skip(await nextLength());
    },
    async read(count) {
      const values: Uint8Array[] = [];
      for (let value = 0; value < count; value += 1) {
        const length = await nextLength();
        if (bytes.present < length && !(await bytes.fill(length))) throw ended();
        values.push(bytes.take(length));
      }
      return values;
    },
  };
}

function ended(): Error {
  return new Error("a page is damaged: it ends within a value");
}

/** The lengths at the beginning of values that follow each other without a gap. */
export async function readLengths(bytes: ByteReader, count: number): Promise<Int32Array> {
  const lengths = new Int32Array(count);
  // An integer of a block has at most 32 bits, and a block of 128 integers a header of less than 64 bytes.
  await bytes.fill(5 * count + 1024);
  const reader = { view: bytes.view(), offset: 0 };
  deltaBinaryUnpack(reader, count, lengths);
  bytes.take(reader.offset);
  return lengths;
}

/** Decompresses the bytes of a page, in pieces if its codec can. */
export function decompressed(
  pieces: AsyncIterable<Uint8Array>,
  codec: CompressionCodec,
  size: number,
): AsyncIterable<Uint8Array> {
  if (codec === "UNCOMPRESSED") return pieces;
  if (codec === "SNAPPY") return unsnappy(pieces);
  const create = streams[codec];
  if (create !== undefined)
    return pipeline(Readable.from(pieces), create(), () => {}) as AsyncIterable<Buffer>;
  return (async function* () {
    const bytes = Buffer.concat(await Array.fromAsync(pieces));
    yield decompressPage(bytes, size, codec, compressors);
  })();
}

const options = { chunkSize: 2 ** 18 };
const streams: Partial<Record<CompressionCodec, () => NodeJS.ReadWriteStream>> = {
  GZIP: () => createGunzip(options),
  BROTLI: () => createBrotliDecompress(options),
  ZSTD: () => createZstdDecompress(options),
};
