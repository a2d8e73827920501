import { readFile, rename, writeFile } from "node:fs/promises";

import { ConfigError } from "@envs/core";

/** Throws a `ConfigError` if the file cannot be read. */
export async function readInputFile(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new ConfigError(`${path} cannot be read. Pass a file that exists.`, [], { cause: error });
  }
}

/** A crash leaves either the old file or the new one. */
export async function writeFileAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.draft`;
  await writeFile(temporary, bytes, { flush: true });
  await rename(temporary, path);
}
