import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The folders that AGENTS.md's tree lists, as paths from the repository's root. A line that starts with spaces belongs to the folder above it. */
export function listedFolders(agents: string): string[] {
  const [, tree = ""] = /^## The tree\n+```\n(.*?)\n```/msu.exec(agents) ?? [];
  const folders: string[] = [];
  let parent = "";
  for (const line of tree.split("\n")) {
    const [, indent = "", paths = ""] = /^( *)((?:[\w./-]+ )*)/u.exec(`${line} `) ?? [];
    if (indent === "") {
      const [folder = ""] = paths.trim().split(" ");
      parent = folder.replace(/\/$/u, "");
      folders.push(parent);
    } else {
      for (const [path] of paths.matchAll(/\S+\//gu)) folders.push(join(parent, path.slice(0, -1)));
    }
  }
  return folders;
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

function foldersIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$|dist$)/u.test(entry.name))
    .map((entry) => join(folder, entry.name));
}
