import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { UsageError } from "../terminal/errors.ts";
import { ownScope } from "../terminal/own-scope.ts";
import type { NextCommands } from "./next-commands.ts";
import { mapOwnScope } from "./own-registry.ts";

/** The kinds of environment that have a template. */
export const kinds = {
  single: "one question, one answer",
  multi: "a game or conversation of several turns",
  tools: "the model calls tools",
} as const;

export type Kind = keyof typeof kinds;

/** The versions that a new package depends on. A test compares them with this workspace's. */
export const versions = {
  node: "^24.0.0",
  typescript: "^7.0.2",
  vitest: "^5.1.1",
  zod: "^4.6.7",
} as const;

export interface Scaffold {
  /** In kebab-case: the environment's name, and the last part of the package's name. */
  readonly name: string;
  /** Without `@`. */
  readonly scope: string | undefined;
  readonly kind: Kind;
  readonly description: string;
  readonly folder: string;
  /** The range of our packages that the new package depends on. */
  readonly range: string;
  /** The registry of our packages; `undefined`: the default registry, or a clone. */
  readonly registry: string | undefined;
  readonly commands: NextCommands;
}

/** Throws a `UsageError` unless the folder is empty, missing, or a new Git repository. */
export async function checkFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError(`Cannot write to ${folder}: ${error.message}.`);
  });
  if (entries.every((name) => name === ".git")) return;
  throw new UsageError(`${folder} is not empty. Choose another folder with --directory.`);
}

/** Writes the files of a new environment package. Returns their paths in its folder. */
export async function writeScaffold(
  scaffold: Scaffold,
  templates: string,
): Promise<readonly string[]> {
  const { folder, kind, registry } = scaffold;
  const values = placeholders(scaffold);
  const paths: string[] = [];
  for (const root of [join(templates, "common"), join(templates, kind)]) {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const name = targetNames[entry.name] ?? entry.name;
      const path = join(entry.parentPath.slice(root.length + 1), name);
      const text = await readFile(join(entry.parentPath, entry.name), "utf8");
      await createFolder(dirname(join(folder, path)));
      await writeFile(
        join(folder, path),
        text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? ""),
      );
      paths.push(path);
    }
  }
  if (registry !== undefined) {
    await mapOwnScope(folder, registry);
    paths.push(".npmrc", ".yarnrc.yml");
  }
  return paths.toSorted();
}

/** The texts that replace `{{key}}` in templates. */
function placeholders(scaffold: Scaffold): Readonly<Record<string, string>> {
  const { name, scope, description, range, commands } = scaffold;
  return {
    ...versions,
    ...commands,
    name,
    package: scope === undefined ? name : `@${scope}/${name}`,
    description: description.replaceAll(/["\\\n]/g, ""),
    scope: ownScope,
    core: range,
  };
}

/** Creates a folder and its parents. Does not hang on file systems without new folders, as a recursive `mkdir` does. */
async function createFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await createFolder(dirname(folder));
  await mkdir(folder);
}

/** Whether a folder is in `environments/` of a clone of this repository. */
export function isInClone(folder: string): boolean {
  const environments = dirname(folder);
  return basename(environments) === "environments" && isClone(dirname(environments));
}

/** Whether a folder is a clone of this repository, whose packages depend on each other. */
export function isClone(folder: string): boolean {
  return ["pnpm-workspace.yaml", "packages/core/package.json", "packages/cli/package.json"].every(
    (file) => existsSync(join(folder, file)),
  );
}

/** npm does not pack a .gitignore, and treats a folder with a package.json as a package, so templates have other names. */
const targetNames: Readonly<Record<string, string>> = {
  gitignore: ".gitignore",
  "package.template.json": "package.json",
};
