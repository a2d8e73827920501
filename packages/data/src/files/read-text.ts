import { createReadStream, type ReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { WriteError } from "@envs/records/node";
import { Decompress } from "fzstd";

/** The compression of a file by its first bytes, because an extension may be wrong. */
export type Compression = "gzip" | "zstd" | undefined;

const signatures = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

export async function compressionOf(path: string): Promise<Compression> {
  await using file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  const isSignature = (bytes: readonly number[]) =>
    bytes.every((byte, index) => buffer[index] === byte);
  if (isSignature(signatures.gzip)) return "gzip";
  return isSignature(signatures.zstd) ? "zstd" : undefined;
}

/** How many bytes are read at once. */
const pieceSize = 2 ** 18;

/**
 * Reads the bytes of a file, decompressed, from an offset. Bytes of a compressed file before it are decompressed and dropped. With
 * `isReused`, each piece of an uncompressed file overwrites the previous one: the garbage collector is late to free many of them.
 */
export async function* readBytes(
  path: string,
  { offset = 0, isReused = false }: { readonly offset?: number; readonly isReused?: boolean } = {},
): AsyncGenerator<Buffer> {
  const compression = await compressionOf(path);
  if (compression === undefined) {
    yield* isReused
      ? readReused(path, offset)
      : (createReadStream(path, {
          start: offset,
          highWaterMark: pieceSize,
        }) as AsyncIterable<Buffer>);
    return;
  }
  const file = createReadStream(path, { highWaterMark: pieceSize });
  let position = 0;
  for await (const chunk of decompressed(file, compression)) {
    if (position + chunk.length > offset) yield chunk.subarray(Math.max(0, offset - position));
    position += chunk.length;
  }
}

async function* readReused(path: string, offset: number): AsyncGenerator<Buffer> {
  await using file = await open(path);
  const buffer = Buffer.allocUnsafeSlow(pieceSize);
  for (let position = offset; ;) {
    const { bytesRead } = await file.read(buffer, 0, pieceSize, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

async function* decompressed(
  file: ReadStream,
  compression: "gzip" | "zstd",
): AsyncGenerator<Buffer> {
  if (compression === "gzip") {
    // Errors of the file reach the iterator through the destroyed stream.
    yield* pipeline(
      file,
      createGunzip({ chunkSize: pieceSize }),
      () => {},
    ) as AsyncIterable<Buffer>;
    return;
  }
  yield* unzstd(file);
}

/**
 * Decompresses files with several frames, such as those of `pzstd` and concatenated ones. Node's decompressor stops after the
 * first frame and silently drops the rest of the chunk.
 */
async function* unzstd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let output: Buffer[] = [];
  const decompress = new Decompress((bytes) => output.push(Buffer.from(bytes)));
  const push = (chunk: Uint8Array, isLast: boolean): Buffer[] => {
    output = [];
    decompress.push(chunk, isLast);
    return output;
  };
  for await (const chunk of chunks) yield* push(chunk, false);
  yield* push(new Uint8Array(), true);
}

/** Runs `read`, and turns what it throws into a `ConfigError` that names the file. */
export async function* reading<Item>(
  name: string,
  read: () => AsyncIterable<Item>,
): AsyncGenerator<Item> {
  try {
    yield* read();
  } catch (error) {
    throw unreadable(name, error);
  }
}

/** The error for a file that is absent, damaged or not in its format. */
export function unreadable(name: string, error: unknown): Error {
  if (error instanceof ConfigError || error instanceof WriteError) return error;
  return new ConfigError(`Cannot read ${name}: ${messageOf(error)}.`, [], { cause: error });
}

export async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count += 1;
  return count;
}
