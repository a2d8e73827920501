import { existsSync, globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

import { FailureError } from "@envs/cli/kit";
import { type Document, isSeq, parseDocument } from "yaml";

/** Environment variables by name, as in `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The folders and variables that decide which configuration files apply to a command. */
export interface CommandContext {
  /** The working directory. */
  readonly folder: string;
  readonly home: string;
  readonly variables: Variables;
}

/** The context of this process. */
export function processContext(): CommandContext {
  return { folder: process.cwd(), home: homedir(), variables: process.env };
}

/** The path of the user's `.npmrc`, which `NPM_CONFIG_USERCONFIG` may move. */
export function userNpmrcPath({ home, variables }: CommandContext): string {
  const path = variables["NPM_CONFIG_USERCONFIG"] ?? variables["npm_config_userconfig"];
  return path === undefined || path === "" ? join(home, ".npmrc") : resolve(path);
}

/** Shortens a path for messages: relative to the working directory, or to the home directory with `~`. */
export function displayPath(
  file: string,
  { folder, home }: Pick<CommandContext, "folder" | "home">,
): string {
  const fromFolder = relative(folder, file);
  if (fromFolder !== "" && !fromFolder.startsWith("..") && !isAbsolute(fromFolder))
    return fromFolder;
  const fromHome = relative(home, file);
  return fromHome.startsWith("..") || isAbsolute(fromHome) ? file : join("~", fromHome);
}

/** Returns the text of a file, or "" if it does not exist. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new FailureError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Writes a file if its text changed. Returns whether it did. */
export async function writeIfChanged(
  file: string,
  before: string,
  after: string,
): Promise<boolean> {
  if (after === before) return false;
  try {
    await writeFile(file, after);
    return true;
  } catch (error) {
    throw new FailureError(`Cannot write ${file}: ${(error as Error).message}`);
  }
}

/** Edits a YAML file and keeps its comments. Returns whether the file changed. */
export async function editYaml(file: string, edit: (document: Document) => void): Promise<boolean> {
  const before = await readText(file);
  const document = parseDocument(before);
  const [error] = document.errors;
  if (error !== undefined) throw new FailureError(`${file} is not valid YAML: ${error.message}`);
  const original = JSON.stringify(document.toJS());
  edit(document);
  if (JSON.stringify(document.toJS()) === original) return false;
  return await writeIfChanged(file, before, document.toString({ lineWidth: 0 }));
}

/** Adds the texts that the list of a key lacks. */
export function addToList(document: Document, key: string, texts: readonly string[]): void {
  const list = document.get(key);
  if (!isSeq(list)) {
    document.set(key, document.createNode([...texts]));
    return;
  }
  const existing: unknown[] = list.toJSON();
  for (const text of texts) if (!existing.includes(text)) list.add(document.createNode(text));
}

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
