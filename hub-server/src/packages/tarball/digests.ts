import { hash, subtle } from "node:crypto";

/** The two hashes by which clients recognise a tarball. */
export interface TarballDigests {
  /** SHA-1 in hexadecimal digits, for old clients. */
  readonly shasum: string;
  /** SHA-512 as a subresource integrity string. */
  readonly integrity: string;
}

/** What is hashed within a few milliseconds is not worth a thread. */
const small = 1024 * 1024;
const nodeName = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-512": "sha512" } as const;

/** Hashes bytes, off the main thread if there are many. */
export async function digest(
  algorithm: keyof typeof nodeName,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Buffer> {
  if (bytes.length > small) return Buffer.from(await subtle.digest(algorithm, bytes));
  return hash(nodeName[algorithm], bytes, "buffer");
}

/** The hashes of a tarball, of its bytes as they are. */
export async function tarballDigests(bytes: Uint8Array<ArrayBuffer>): Promise<TarballDigests> {
  const [sha1, sha512] = await Promise.all([digest("SHA-1", bytes), digest("SHA-512", bytes)]);
  return { shasum: sha1.toString("hex"), integrity: `sha512-${sha512.toString("base64")}` };
}
