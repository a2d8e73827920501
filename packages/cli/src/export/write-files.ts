import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { ExportFile } from "./export-result.ts";

/** Writes a file atomically, through a draft that is then renamed. Creates its folder. */
export async function writeFileAtomically(
  path: string,
  { text, isExecutable = false }: Pick<ExportFile, "text" | "isExecutable">,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  await writeFile(draft, text, { flush: true, mode: isExecutable ? 0o755 : 0o644 });
  await rename(draft, path);
}

/** Writes files to a folder. */
export async function writeFiles(folder: string, files: readonly ExportFile[]): Promise<void> {
  for (const file of files) await writeFileAtomically(join(folder, file.path), file);
}
