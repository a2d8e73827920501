import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The folders that the maps list, as paths from the repository's root: packages in the block under "The tree" of the root's
 * AGENTS.md, and their rooms in the first block of a package's own AGENTS.md.
 */
export function listedFolders(root: string): string[] {
  const packages = readTree(root, ".", /^## The tree\n+```\n(.*?)\n```/msu);
  return [
    ...packages,
    ...packages.flatMap((folder) => readTree(root, folder, /^```\n(.*?)\n```/msu)),
  ];
}

/** Every package, and every folder directly in a package's `src`. */
export function existingFolders(root: string): string[] {
  const packages = [
    ...["packages", "environments"].flatMap((parent) =>
      foldersIn(root, parent).filter((folder) => existsSync(join(root, folder, "package.json"))),
    ),
    ...foldersIn(root, ".").filter((folder) => existsSync(join(root, folder, "package.json"))),
  ];
  return [...packages, ...packages.flatMap((folder) => foldersIn(root, join(folder, "src")))];
}

/** The paths at the start of each line. A line that starts with spaces belongs to the folder above it. */
function readTree(root: string, folder: string, block: RegExp): string[] {
  const file = join(root, folder, "AGENTS.md");
  const [, tree = ""] = existsSync(file) ? (block.exec(readFileSync(file, "utf8")) ?? []) : [];
  const folders: string[] = [];
  let parent = folder;
  for (const line of tree.split("\n").filter((text) => text.trim() !== "")) {
    const [, indent = "", paths = ""] = /^( *)((?:[\w./-]+ )*)/u.exec(`${line} `) ?? [];
    const isBelow = indent !== "";
    const names = folder === "." && !isBelow ? paths.split(" ", 1) : foldersOf(paths);
    folders.push(...names.map((name) => join(isBelow ? parent : folder, name)));
    if (!isBelow) parent = join(folder, names[0] ?? "");
  }
  return folders;
}

function foldersOf(paths: string): string[] {
  return [...paths.matchAll(/(\S+)\//gu)].map(([, path = ""]) => path);
}

function foldersIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/u.test(entry.name))
    .map((entry) => join(folder, entry.name));
}
