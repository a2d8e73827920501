import { rename, writeFile } from "node:fs/promises";

/** Writes a file whole or not at all: whoever is killed in between leaves the old one. */
export async function writeFileAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.draft`;
  await writeFile(draft, bytes, { flush: true });
  await rename(draft, path);
}
