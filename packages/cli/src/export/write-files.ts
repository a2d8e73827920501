import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { ExportedFile } from "./format.ts";

/** Writes a file, all or nothing. */
export async function writeWhole(
  path: string,
  { text, isProgram = false }: Pick<ExportedFile, "text" | "isProgram">,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, text, { flush: true, mode: isProgram ? 0o755 : 0o644 });
  await rename(draft, path);
}

/** Writes files below a folder. */
export async function writeFolder(folder: string, files: readonly ExportedFile[]): Promise<void> {
  for (const file of files) await writeWhole(join(folder, file.path), file);
}
