import { open } from "node:fs/promises";

import { ConfigError } from "@envs/core";

/** Throws a `ConfigError` if a file does not exist or is not a GGUF file. */
export async function checkGguf(path: string): Promise<void> {
  const start = await readStart(path);
  if (start.toString("latin1") === "GGUF") return;
  throw new ConfigError(
    `${path} is not a GGUF file. Download the model in that format, or convert it with llama.cpp's convert_hf_to_gguf.py.`,
  );
}

async function readStart(path: string): Promise<Buffer> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw new ConfigError(`${path} ${reasonOf(error)}. Pass the path of a GGUF file.`, [], {
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist";
  if (code === "EISDIR") return "is a folder";
  return `cannot be read (${code})`;
}
