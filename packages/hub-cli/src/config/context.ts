import { existsSync, globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

import { FailureError } from "@envs/terminal";

import type { Variables } from "./npmrc.ts";

/** Where a command was started, and by whom: all that decides which files and variables count. */
export interface Place {
  readonly folder: string;
  readonly home: string;
  readonly variables: Variables;
}

/** Where this process was started. */
export function here(): Place {
  return { folder: process.cwd(), home: homedir(), variables: process.env };
}

/** The folder whose configuration package managers read: the root of the workspace, else of the package, else this one. */
export async function projectRoot(folder: string): Promise<string> {
  const own = above(folder, "package.json") ?? resolve(folder);
  const ofPnpm = above(folder, "pnpm-workspace.yaml");
  if (ofPnpm !== undefined) return ofPnpm;
  for (let root = dirname(own); root !== dirname(root); root = dirname(root))
    if (await hasWorkspace(root, own)) return root;
  return own;
}

/** The user's `.npmrc`. */
export function userNpmrc({ home, variables }: Place): string {
  const named = variables["NPM_CONFIG_USERCONFIG"] ?? variables["npm_config_userconfig"];
  return named === undefined || named === "" ? join(home, ".npmrc") : resolve(named);
}

/** A path as people write it: from this folder, or from home. */
export function shown(file: string, { folder, home }: Pick<Place, "folder" | "home">): string {
  const near = relative(folder, file);
  if (near !== "" && !near.startsWith("..") && !isAbsolute(near)) return near;
  const fromHome = relative(home, file);
  return fromHome.startsWith("..") || isAbsolute(fromHome) ? file : join("~", fromHome);
}

/** The text of a file; empty if there is none. */
export async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new FailureError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/** The nearest folder, this one or above it, that has a file of this name. */
export function above(folder: string, name: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsSync(join(at, name))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Whether the package.json in a folder says that a package below it belongs to its workspace. */
async function hasWorkspace(root: string, folder: string): Promise<boolean> {
  const patterns = workspacesIn(await textOf(join(root, "package.json")));
  const path = relative(root, folder);
  return patterns.length > 0 && globSync([...patterns], { cwd: root }).includes(path);
}

function workspacesIn(text: string): readonly string[] {
  try {
    const { workspaces } = JSON.parse(text) as { readonly workspaces?: unknown };
    const listed = Array.isArray(workspaces)
      ? workspaces
      : (workspaces as { readonly packages?: unknown } | undefined)?.packages;
    return Array.isArray(listed) ? listed.filter((each) => typeof each === "string") : [];
  } catch {
    return [];
  }
}
