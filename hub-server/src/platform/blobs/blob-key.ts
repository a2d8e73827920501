/** What a tarball is called in the blob store: its SHA-512, which `dist.integrity` has in base64, in hex. */
export function blobKey(integrity: string): string {
  return Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");
}
