import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import * as zlib from "node:zlib";

import { UnknownRunError } from "../runs/run-reader.ts";

/** An entry of a zip archive. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedSize: number;
  readonly size: number;
  /** The offset of the entry's local header. */
  readonly offset: number;
}

const endSize = 22;
const maxCommentSize = 0xffff;
/** A text of more than this many bytes is not a sample of a log but an attack on memory. */
const maxEntrySize = 256 * 1024 * 1024;

/** Reads the directory at the end of a zip archive, also of archives with more than 4 GiB (zip64). */
export async function readZipDirectory(path: string): Promise<readonly ZipEntry[]> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const tailSize = Math.min(size, endSize + maxCommentSize + 20);
    const tail = await readBytes(file, size - tailSize, tailSize);
    const end = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
    if (end === -1)
      throw new UnknownRunError(`${path} is not a complete zip archive: its directory is missing.`);
    const place = await directoryPlace(file, tail, end);
    return parseDirectory(await readBytes(file, place.offset, place.size));
  } finally {
    await file.close();
  }
}

async function directoryPlace(file: FileHandle, tail: Buffer, end: number) {
  const size = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  if (offset !== 0xffffffff || end < 20) return { size, offset };
  const record = await readBytes(file, Number(tail.readBigUInt64LE(end - 20 + 8)), 56);
  return {
    size: Number(record.readBigUInt64LE(40)),
    offset: Number(record.readBigUInt64LE(48)),
  };
}

function parseDirectory(bytes: Buffer): readonly ZipEntry[] {
  const entries = new Map<string, ZipEntry>();
  for (let at = 0; at + 46 <= bytes.length && bytes.readUInt32LE(at) === 0x02014b50;) {
    const nameLength = bytes.readUInt16LE(at + 28);
    const extraLength = bytes.readUInt16LE(at + 30);
    const name = bytes.toString("utf8", at + 46, at + 46 + nameLength);
    const extra = bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
    // Inspect appends an entry again when it rewrites it: the last one counts.
    entries.set(name, {
      name,
      method: bytes.readUInt16LE(at + 10),
      ...wideNumbers(extra, {
        size: bytes.readUInt32LE(at + 24),
        compressedSize: bytes.readUInt32LE(at + 20),
        offset: bytes.readUInt32LE(at + 42),
      }),
    });
    at += 46 + nameLength + extraLength + bytes.readUInt16LE(at + 32);
  }
  return [...entries.values()];
}

type Numbers = Pick<ZipEntry, "size" | "compressedSize" | "offset">;

/** Zip64 moves numbers that do not fit in 32 bits into an extra field, in this order. */
function wideNumbers(extra: Buffer, numbers: Numbers): Numbers {
  const wide = { ...numbers };
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue;
    let field = at + 4;
    for (const name of ["size", "compressedSize", "offset"] as const) {
      if (numbers[name] !== 0xffffffff || field + 8 > extra.length) continue;
      wide[name] = Number(extra.readBigUInt64LE(field));
      field += 8;
    }
  }
  return wide;
}

const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);

/** Reads an entry as text. Inspect compresses with deflate or zstd. */
export async function readZipEntry(path: string, entry: ZipEntry): Promise<string> {
  if (entry.size > maxEntrySize)
    throw new UnknownRunError(`${entry.name} in ${path} is too large: ${entry.size} bytes.`);
  const file = await open(path, "r");
  try {
    const header = await readBytes(file, entry.offset, 30);
    const start = entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
    const bytes = await readBytes(file, start, entry.compressedSize);
    return (await decompress(bytes, entry)).toString("utf8");
  } finally {
    await file.close();
  }
}

async function decompress(bytes: Buffer, { method, name }: ZipEntry): Promise<Buffer> {
  if (method === 0) return bytes;
  if (method === 8) return await inflateRaw(bytes, { maxOutputLength: maxEntrySize });
  if (method === 93 && "zstdDecompress" in zlib) {
    const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);
    return await zstd(bytes, { maxOutputLength: maxEntrySize });
  }
  const why =
    method === 93
      ? "zstd, which Node supports from version 22.15. Update Node."
      : `method ${method}, which is not supported.`;
  throw new UnknownRunError(`Cannot read ${name}: it is compressed with ${why}`);
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { size } = await file.stat();
  if (position < 0 || length < 0 || position + length > size)
    throw new UnknownRunError("The zip archive is cut: an entry is outside of the file.");
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}
