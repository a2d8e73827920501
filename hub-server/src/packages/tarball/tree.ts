import { quoted, refusal } from "../../platform/errors/refusal.ts";

/** What has been at which path, as the file systems of macOS and Windows tell paths apart. */
export interface Tree {
  readonly file: (path: string) => void;
  readonly folder: (path: string) => void;
}

/** An empty tree, which refuses a second file at one path, and a file where a folder is. */
export function tree(): Tree {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  const folder = (path: string): void => {
    if (path === "") return;
    const folded = fold(path);
    if (folders.has(folded)) return;
    const other = files.get(folded);
    if (other !== undefined) throw fileAndFolder(other, path);
    folders.set(folded, path);
    folder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  };
  const file = (path: string): void => {
    const folded = fold(path);
    const other = files.get(folded);
    if (other !== undefined)
      throw refusal(
        "path-duplicate",
        `${quoted(other)} and ${quoted(path)} are one file where case or the form of accents does not count. Rename one.`,
      );
    const inside = folders.get(folded);
    if (inside !== undefined) throw fileAndFolder(path, inside);
    files.set(folded, path);
    folder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  };
  return { file, folder };
}

/** Compatibility forms go beyond what any file system folds, and cost nobody a name worth having. */
function fold(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase();
  return path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

function fileAndFolder(file: string, folder: string): Error {
  return refusal(
    "path-file-and-folder",
    `${quoted(file)} is a file, and ${quoted(folder)} is a folder. Rename one.`,
  );
}
