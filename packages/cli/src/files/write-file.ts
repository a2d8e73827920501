import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { createFolder, replaceFile, WriteError } from "@envs/records/node";

/** The content of a file to write. */
export interface FileContent<Text extends string | Uint8Array = string> {
  readonly text: Text;
  readonly isExecutable?: boolean | undefined;
}

/** Creates the folder of a file. Throws a `WriteError` if the file cannot be written, before any other work. */
export async function prepareFile(path: string): Promise<void> {
  await createFolder(dirname(path));
  try {
    await access(dirname(path), constants.W_OK);
  } catch (error) {
    throw new WriteError(`write ${path}`, error, otherFile);
  }
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  if (isFolder) throw new WriteError(`write ${path}`, new Error("it is a folder"), otherFile);
}

const otherFile = "Choose another file with -o.";

/** Writes a file atomically. Creates its folder. */
export async function writeFileAtomically(
  path: string,
  { text, isExecutable = false }: FileContent<string | Uint8Array>,
): Promise<void> {
  await createFolder(dirname(path));
  await replaceFile(path, text, { mode: isExecutable ? 0o755 : 0o644, advice: otherFile });
}
