import { readFile, rename, writeFile } from "node:fs/promises";

import { ConfigError } from "@envs/core";

/** Reads a file that a person named. */
export async function readNamedFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new ConfigError(`${path} cannot be read. Name a file that is there.`, [], {
      cause: error,
    });
  }
}

/** Writes a file whole or not at all: whoever is killed in between leaves the old one. */
export async function writeFileAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.draft`;
  await writeFile(draft, bytes, { flush: true });
  await rename(draft, path);
}
