import { hash, subtle } from "node:crypto";

/** The two hashes with which clients verify a tarball. */
export interface TarballDigests {
  /** Hexadecimal SHA-1, for old clients. */
  readonly shasum: string;
  /** SHA-512 as a subresource integrity string. */
  readonly integrity: string;
}

/** The maximum size that is hashed on this thread: it takes a few milliseconds, less than a thread is worth. */
const maxSyncBytes = 1024 * 1024;
const nodeName = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512" } as const;

/** Hashes large inputs on another thread. */
export async function digest(
  algorithm: keyof typeof nodeName,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Buffer> {
  if (bytes.length > maxSyncBytes) return Buffer.from(await subtle.digest(algorithm, bytes));
  return hash(nodeName[algorithm], bytes, "buffer");
}

export async function tarballDigests(bytes: Uint8Array<ArrayBuffer>): Promise<TarballDigests> {
  const [sha1, sha512] = await Promise.all([digest("SHA-1", bytes), digest("SHA-512", bytes)]);
  return { shasum: sha1.toString("hex"), integrity: `sha512-${sha512.toString("base64")}` };
}
