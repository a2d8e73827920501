import { existsSync, globSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

import { readText } from "./files.ts";

/** The folder whose configuration package managers read: the root of the workspace, else of the package, else `folder`. */
export async function projectRoot(folder: string): Promise<string> {
  const packageFolder = findUp(folder, "package.json") ?? resolve(folder);
  const pnpmRoot = findUp(folder, "pnpm-workspace.yaml");
  if (pnpmRoot !== undefined) return pnpmRoot;
  for (let root = dirname(packageFolder); root !== dirname(root); root = dirname(root))
    if (await isWorkspaceOf(root, packageFolder)) return root;
  return packageFolder;
}

/** The nearest folder, `folder` or an ancestor, that contains the file. */
export function findUp(folder: string, file: string): string | undefined {
  for (let current = resolve(folder); ; current = dirname(current)) {
    if (existsSync(join(current, file))) return current;
    if (current === dirname(current)) return undefined;
  }
}

/** Whether the `workspaces` of the package.json in `root` include a package's folder. */
async function isWorkspaceOf(root: string, folder: string): Promise<boolean> {
  const patterns = workspacePatterns(await readText(join(root, "package.json")));
  const path = relative(root, folder);
  return patterns.length > 0 && globSync([...patterns], { cwd: root }).includes(path);
}

function workspacePatterns(packageJson: string): readonly string[] {
  try {
    const { workspaces } = JSON.parse(packageJson) as { readonly workspaces?: unknown };
    const patterns = Array.isArray(workspaces)
      ? workspaces
      : (workspaces as { readonly packages?: unknown } | undefined)?.packages;
    return Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === "string") : [];
  } catch {
    return [];
  }
}
