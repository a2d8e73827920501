import type { Comparison } from "@envs/hub-client";

import type { Package } from "../../../access/permissions/require-package.ts";
import { versionsOf } from "../../../api/package-versions.ts";
import { type StoredFiles, storedFiles } from "../../../packages/files/stored-files.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { textOf } from "../files/file-text.ts";
import type { PatchLine } from "../render/patch.ts";
import type { Renderer } from "../render/renderer.ts";

type FileChange = Comparison["files"][number];

/** A file that differs, with its changed lines. */
export interface ComparedFile extends FileChange {
  readonly hunks: readonly (readonly PatchLine[])[];
  /** Why the page does not show all lines. */
  readonly note: string | undefined;
}

/** The maximum number of files on the page. */
export const maxFiles = 100;
/** The maximum number of lines of all files together. */
const maxLines = 6000;
const maxLinesOfFile = 1500;
const maxBytes = 256 * 1024;

/** The files of a tarball, and its integrity. */
interface Side {
  readonly integrity: string;
  readonly files: StoredFiles;
}

/** Compares the files of two versions line by line. */
export async function comparedFiles(
  { hub, renderer }: { readonly hub: Hub; readonly renderer: Renderer },
  package_: Package,
  { from, to, files }: Comparison,
): Promise<readonly ComparedFile[]> {
  if (files.length === 0) return [];
  const sides = await Promise.all(
    [from, to].map(async (version) => {
      const [row] = await versionsOf(hub.database, package_.id, version);
      return { integrity: row?.integrity ?? "", files: await storedFiles(hub, row?.id ?? -1) };
    }),
  );
  const [before, after] = sides;
  return before && after ? await comparedContents(renderer, files, { before, after }) : [];
}

/** Compares the first files of two tarballs line by line: sources before built files. */
export async function comparedContents(
  renderer: Renderer,
  files: readonly FileChange[],
  { before, after }: { readonly before: Side; readonly after: Side },
): Promise<readonly ComparedFile[]> {
  const compared: ComparedFile[] = [];
  let lines = 0;
  for (const file of files.toSorted(byImportance).slice(0, maxFiles)) {
    if (lines >= maxLines) {
      compared.push({ ...file, hunks: [], note: "The page is too long to show this file." });
      continue;
    }
    const [old, new_] = [before, after].map((side) => textOf(side.files.get(file.path)));
    const entry = await compare(file, old, new_);
    compared.push(entry);
    lines += entry.hunks.reduce((sum, { length }) => sum + length, 0);
  }
  return compared;

  async function compare(
    file: FileChange,
    old: string | undefined,
    new_: string | undefined,
  ): Promise<ComparedFile> {
    if (file.before > maxBytes || file.after > maxBytes)
      return { ...file, hunks: [], note: "The file is too large to compare." };
    if (old === undefined || new_ === undefined)
      return { ...file, hunks: [], note: "The file is binary." };
    const key = `${before.integrity} ${after.integrity} ${file.path}`;
    const hunks = await renderer.render("patch", key, { before: old, after: new_ });
    if (hunks === undefined)
      return { ...file, hunks: [], note: "The files differ too much to compare." };
    return limited(file, hunks);
  }
}

function limited(file: FileChange, hunks: ComparedFile["hunks"]): ComparedFile {
  const shown: (readonly PatchLine[])[] = [];
  let rest = maxLinesOfFile;
  for (const hunk of hunks) {
    if (rest <= 0) break;
    shown.push(hunk.slice(0, rest));
    rest -= hunk.length;
  }
  const note = rest < 0 ? `Only the first ${maxLinesOfFile} changed lines are shown.` : undefined;
  return { ...file, hunks: shown, note };
}

function byImportance(a: FileChange, b: FileChange): number {
  return importance(a.path) - importance(b.path) || (a.path < b.path ? -1 : 1);
}

function importance(path: string): number {
  if (path.endsWith(".map")) return 3;
  if (/^(?:dist|build|lib)\//.test(path) || /\.min\.|\.bundle\./.test(path)) return 2;
  return path.includes("/") ? 1 : 0;
}
