import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";

/** SHA-256 over the files that a package runs, each with its path and length, so that no two packages share one. */
export async function packageHash(root: string): Promise<string> {
  const built = ["dist", "src"].map((name) => join(root, name)).find((path) => existsSync(path));
  return hashOf([join(root, "package.json"), ...(await filesOf(built ?? root))], root);
}

/** The same for one file. */
export function fileHash(file: string): Promise<string> {
  return hashOf([file], join(file, ".."));
}

/** Whether a package's sources are newer than what was built of them. */
export async function isStale(root: string): Promise<boolean> {
  const [dist, src] = [join(root, "dist"), join(root, "src")];
  if (!existsSync(dist) || !existsSync(src)) return false;
  const newest = async (folder: string): Promise<number> => {
    const files = await filesOf(folder, () => true);
    const stats = await Promise.all(files.map((file) => stat(file)));
    return Math.max(0, ...stats.map(({ mtimeMs }) => mtimeMs));
  };
  return (await newest(src)) > (await newest(dist));
}

async function hashOf(files: readonly string[], root: string): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files.toSorted()) {
    const bytes = await readFile(file);
    hash.update(`${relative(root, file)}\n${bytes.length}\n`).update(bytes);
  }
  return `sha256-${hash.digest("hex")}`;
}

async function filesOf(
  folder: string,
  isMeant: (name: string) => boolean = (name) => !name.endsWith(".tsbuildinfo"),
): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && isMeant(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes("node_modules"));
}
