import { writeFile } from "node:fs/promises";

import { FailureError } from "@envs/terminal";

import { textOf } from "./context.ts";
import { withSetting } from "./npmrc.ts";

/** Puts a setting into a project's `.npmrc`. Whether that changed the file. */
export async function writeSetting(file: string, key: string, value: string): Promise<boolean> {
  const text = await textOf(file);
  return await writeChanged(file, text, withSetting(text, key, value));
}

/** Writes a file of a project if its text changed. Whether it did. */
export async function writeChanged(file: string, before: string, after: string): Promise<boolean> {
  if (after === before) return false;
  try {
    await writeFile(file, after);
    return true;
  } catch (error) {
    throw new FailureError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
