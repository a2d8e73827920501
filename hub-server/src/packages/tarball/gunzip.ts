import { crc32, inflateRaw, inflateRawSync } from "node:zlib";

import { refusal } from "../../platform/errors/refusal.ts";
import type { PackageLimits } from "./limits.ts";

const headerLength = 10;
const trailerLength = 8;
/** Deflate cannot do better, so a file that promises more is lying. */
const bestRatio = 1032;
/** What is inflated within a few milliseconds is not worth a thread. */
const small = 1024 * 1024;

interface Inflated {
  readonly buffer: Buffer<ArrayBuffer>;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The content of a gzip file of exactly one member. Clients differ in what they do with a second member or with bytes
 * after the first; and the length in the trailer lets a bomb be refused before anything is inflated.
 */
export async function gunzip(bytes: Buffer, limits: PackageLimits): Promise<Buffer<ArrayBuffer>> {
  const start = bodyOf(bytes);
  if (bytes.length < start + trailerLength) throw truncated();
  const length = bytes.readUInt32LE(bytes.length - 4);
  const most = Math.min(bytes.length * bestRatio, limits.unpacked);
  if (length > limits.unpacked && most === limits.unpacked)
    throw refusal(
      "tarball-unpacked-too-large",
      `The tarball says that it unpacks to ${length} bytes; this hub takes at most ${limits.unpacked}. Publish fewer or smaller files.`,
    );
  const body = bytes.subarray(start);
  const { buffer, engine } = await inflated(body, Math.min(length, most));
  const trailer = body.subarray(engine.bytesWritten);
  if (trailer.length < trailerLength) throw truncated();
  if (trailer.length > trailerLength)
    throw refusal(
      "tarball-trailing-data",
      `${trailer.length - trailerLength} bytes follow the end of the compressed data. Pack the package again.`,
    );
  if (buffer.length !== length || crc32(buffer) !== trailer.readUInt32LE(0)) throw corrupt();
  return buffer;
}

/** Where the compressed data begins. Of the optional fields, only the file's name is in use. */
function bodyOf(bytes: Buffer): number {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8)
    throw refusal(
      "tarball-not-gzip",
      "The tarball is not compressed with gzip. Pack it with npm pack, or publish the folder.",
    );
  if (bytes.length < headerLength) throw truncated();
  const flags = bytes[3] ?? 0;
  if (flags === 0) return headerLength;
  const hasNameAlone = flags === 0x08;
  if (!hasNameAlone)
    throw refusal(
      "tarball-unsupported",
      "The gzip header has fields that clients skip in different ways. Pack the package again with npm pack.",
    );
  const end = bytes.indexOf(0, headerLength);
  if (end === -1) throw truncated();
  return end + 1;
}

/** Never more than `most` bytes: what inflates to more has lied about its length. */
async function inflated(body: Buffer, most: number): Promise<Inflated> {
  const options = {
    info: true,
    maxOutputLength: Math.max(most, 1),
    chunkSize: Math.max(most + 1, 64),
  };
  try {
    // The typings do not know of `info`.
    if (most <= small) return inflateRawSync(body, options) as unknown as Inflated;
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
    "The tarball ends in the middle of its compressed data. Publish it again.",
  );
}

function corrupt(): Error {
  return refusal(
    "tarball-corrupt",
    "The tarball cannot be unpacked, or its checksum is wrong. Pack the package again.",
  );
}
