import { crc32, inflateRaw, inflateRawSync } from "node:zlib";

import { refusal } from "../../platform/errors/hub-error.ts";
import type { PackageLimits } from "./limits.ts";

const headerLength = 10;
const trailerLength = 8;
/** Deflate's maximum compression ratio. */
const maxRatio = 1032;
/** The maximum size that is inflated on this thread: it takes a few milliseconds, less than a thread is worth. */
const maxSyncBytes = 1024 * 1024;

interface Inflated {
  readonly buffer: Buffer<ArrayBuffer>;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Decompresses a gzip file that has exactly one member, because clients handle further members and trailing bytes
 * differently. The length in the trailer allows it to reject a decompression bomb before inflating it.
 */
export async function gunzip(bytes: Buffer, limits: PackageLimits): Promise<Buffer<ArrayBuffer>> {
  const start = bodyOffset(bytes);
  if (bytes.length < start + trailerLength) throw truncated();
  const length = bytes.readUInt32LE(bytes.length - 4);
  const maxBytes = Math.min(bytes.length * maxRatio, limits.unpacked);
  if (length > limits.unpacked && maxBytes === limits.unpacked)
    throw refusal(
      "tarball-unpacked-too-large",
      `The tarball declares ${length} unpacked bytes, more than the limit of ${limits.unpacked}. Publish fewer or smaller files.`,
    );
  const body = bytes.subarray(start);
  const { buffer, engine } = await inflate(body, Math.min(length, maxBytes));
  const trailer = body.subarray(engine.bytesWritten);
  if (trailer.length < trailerLength) throw truncated();
  if (trailer.length > trailerLength)
    throw refusal(
      "tarball-trailing-data",
      `The tarball has ${trailer.length - trailerLength} bytes after the end of its compressed data. Pack the package again with npm pack.`,
    );
  if (buffer.length !== length || crc32(buffer) !== trailer.readUInt32LE(0)) throw corrupt();
  return buffer;
}

/** Offset of the compressed data. Supports one optional header field, the file name, because packers write no other. */
function bodyOffset(bytes: Buffer): number {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8)
    throw refusal(
      "tarball-not-gzip",
      "The tarball is not compressed with gzip. Pack the package with npm pack, or publish the folder.",
    );
  if (bytes.length < headerLength) throw truncated();
  const flags = bytes[3] ?? 0;
  if (flags === 0) return headerLength;
  const hasOnlyName = flags === 0x08;
  if (!hasOnlyName)
    throw refusal(
      "tarball-unsupported",
      "The gzip header has optional fields that clients read differently. Pack the package again with npm pack.",
    );
  const end = bytes.indexOf(0, headerLength);
  if (end === -1) throw truncated();
  return end + 1;
}

/** Fails if the data inflates to more than `maxBytes`. */
async function inflate(body: Buffer, maxBytes: number): Promise<Inflated> {
  const options = {
    info: true,
    maxOutputLength: Math.max(maxBytes, 1),
    chunkSize: Math.max(maxBytes + 1, 64),
  };
  try {
    // The types lack the option `info`.
    if (maxBytes <= maxSyncBytes) return inflateRawSync(body, options) as unknown as Inflated;
    return await new Promise<Inflated>((resolve, reject) => {
      inflateRaw(body, options, (error, result) => {
        if (error) reject(error);
        else resolve(result as unknown as Inflated);
      });
    });
  } catch (error) {
    throw isTruncation(error) ? truncated() : corrupt();
  }
}

function isTruncation(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";
}

function truncated(): Error {
  return refusal(
    "tarball-truncated",
    "The tarball ends within its compressed data. Publish it again.",
  );
}

function corrupt(): Error {
  return refusal(
    "tarball-corrupt",
    "The tarball cannot be decompressed, or its checksum is wrong. Pack the package again with npm pack.",
  );
}
