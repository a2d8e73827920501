import { readFile, writeFile } from "node:fs/promises";

import { FailureError } from "@envs/terminal";

/** Returns the text of a file, or "" if it does not exist. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new FailureError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Writes a file if its text changed. Returns whether it did. */
export async function writeIfChanged(
  file: string,
  before: string,
  after: string,
): Promise<boolean> {
  if (after === before) return false;
  try {
    await writeFile(file, after);
    return true;
  } catch (error) {
    throw new FailureError(`Cannot write ${file}: ${(error as Error).message}`);
  }
}
