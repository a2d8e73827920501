import { mkdir, open, rename } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** Creates a folder and its missing parents. They survive a power failure when the promise resolves. */
export async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  // Each new folder is an entry of its parent.
  const top = dirname(resolve(first));
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    await syncFolder(folder);
    if (folder === top || folder === dirname(folder)) return;
  }
}

/** Writes a new file. Its bytes survive a power failure when the promise resolves; its name needs {@link syncFolder}. */
export async function writeFileDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx");
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Renames a file or folder whose content is synced. The new name survives a power failure when the promise resolves. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncFolder(dirname(to));
}

/** Writes the entries of a folder to the disk: syncing a file does not sync its name. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and NTFS logs their changes.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
