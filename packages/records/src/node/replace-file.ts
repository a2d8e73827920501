import { randomUUID } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

import { WriteError } from "./write-error.ts";

/** The permissions of a file, and what a `WriteError` advises. */
export interface ReplaceOptions {
  /** Default 0o644. */
  readonly mode?: number | undefined;
  readonly advice?: string | undefined;
}

/**
 * Replaces a file atomically: writes a draft beside it and renames the draft. Several writers do not share a draft. Throws a
 * `WriteError`.
 */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | AsyncIterable<string>,
  { mode, advice }: ReplaceOptions = {},
): Promise<void> {
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    await writeFile(draft, content, { flush: true, mode });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    // What reading `content` threw is not a failure to write.
    if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error;
    throw new WriteError(`write ${path}`, error, advice);
  }
}
