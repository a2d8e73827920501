import { quoted, refusal } from "../../platform/errors/refusal.ts";

/** The paths of a package, compared as the file systems of macOS and Windows compare them. */
export interface PathSet {
  readonly addFile: (path: string) => void;
  readonly addFolder: (path: string) => void;
}

/** Creates an empty set. It rejects duplicate files, and a path that is both a file and a folder. */
export function pathSet(): PathSet {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  const addFolder = (path: string): void => {
    if (path === "") return;
    const key = comparisonKey(path);
    if (folders.has(key)) return;
    const file = files.get(key);
    if (file !== undefined) throw fileAndFolder(file, path);
    folders.set(key, path);
    addFolder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  };
  const addFile = (path: string): void => {
    const key = comparisonKey(path);
    const other = files.get(key);
    if (other !== undefined)
      throw refusal(
        "path-duplicate",
        `${quoted(other)} and ${quoted(path)} are the same file on file systems that ignore case or Unicode normalisation. Rename one.`,
      );
    const folder = folders.get(key);
    if (folder !== undefined) throw fileAndFolder(path, folder);
    files.set(key, path);
    addFolder(path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  };
  return { addFile, addFolder };
}

/** NFKC and both case conversions: stricter than every file system, at the cost of a few unusual names. */
function comparisonKey(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase();
  return path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

function fileAndFolder(file: string, folder: string): Error {
  return refusal(
    "path-file-and-folder",
    `${quoted(file)} is a file, but ${quoted(folder)} is a folder at the same path. Rename one.`,
  );
}
