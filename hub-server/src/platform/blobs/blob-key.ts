/** Converts the SHA-512 in `dist.integrity` from base64 to hex, the tarball's key in the blob store. */
export function blobKey(integrity: string): string {
  return Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
}
