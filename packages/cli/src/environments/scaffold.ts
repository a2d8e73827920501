import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { mapOwnScope } from "@envs/hub-cli/queries";
import { createFolder } from "@envs/records/node";
import { ownScope, UsageError } from "@envs/terminal";

import { version } from "../version.ts";

/** The kinds of environment that `envs init` has templates for. */
export const kinds = {
  single: "one question, one answer",
  multi: "a conversation with the environment",
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
  /** Its dependencies come from this clone of the repository, not from a hub. */
  readonly isInClone: boolean;
}

/** The files of a new package, and the commands to run next in its folder. */
export interface WrittenScaffold {
  readonly files: readonly string[];
  readonly commands: readonly string[];
  /** The hub that the dependencies come from; `undefined` in a clone. */
  readonly hub: string | undefined;
}

const templates = join(import.meta.dirname, "../../templates");

/** Throws a `UsageError` if the name is not valid for a package and an environment. */
export function checkName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= 64) return;
  const fixed = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[-0-9]+|-+$/g, "");
  const hint = fixed === "" || fixed.length > 64 ? "" : ` For example: ${fixed}`;
  throw new UsageError(
    `${JSON.stringify(name)} is not a valid environment name. Use lowercase letters, digits and single hyphens, and start with a letter.${hint}`,
  );
}

/** Throws a `UsageError` unless the folder is empty, missing, or a new Git repository. */
async function checkFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError(`Cannot write to ${folder}: ${error.message}.`);
  });
  if (entries.every((name) => name === ".git")) return;
  throw new UsageError(`${folder} is not empty. Choose another folder with --directory.`);
}

/** Writes the files of a new environment package. */
export async function writeScaffold(
  scaffold: Scaffold,
  agent: string | undefined,
): Promise<WrittenScaffold> {
  const { folder, kind, name, scope, description, isInClone } = scaffold;
  await checkFolder(folder);
  await createFolder(folder);
  const commands = commandsFor(agent, isInClone);
  const values: Readonly<Record<string, string>> = {
    ...versions,
    name,
    package: scope === undefined ? name : `@${scope}/${name}`,
    description: description.replaceAll(/["\\\n]/g, ""),
    scope: ownScope,
    core: isInClone ? "workspace:^" : `^${version}`,
    ...commands,
  };
  const files = new Map<string, string>();
  for (const template of ["common", kind]) {
    const root = join(templates, template);
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(
        entry.parentPath.slice(root.length + 1),
        targetNames[entry.name] ?? entry.name,
      );
      const text = await readFile(join(entry.parentPath, entry.name), "utf8");
      files.set(
        path,
        text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? ""),
      );
    }
  }
  for (const [path, text] of files) {
    const target = join(folder, path);
    await createFolder(dirname(target));
    await writeFile(target, text);
  }
  const paths = [...files.keys()];
  const { install, test, evaluate } = commands;
  const hub = isInClone ? undefined : await mapOwnScope(folder);
  if (hub !== undefined) paths.push(".npmrc", ".yarnrc.yml");
  return { files: paths.toSorted(), commands: [install, test, evaluate], hub };
}

/** The next commands, for the package manager that ran this command. None downloads a program named `envs`. */
function commandsFor(agent: string | undefined, isInClone: boolean) {
  const isPnpm = isInClone || agent?.startsWith("pnpm/") === true;
  const manager = isInClone ? "npx -y pnpm@12" : isPnpm ? "pnpm" : "npm";
  const exec = isPnpm ? `${manager} exec` : "npx --no";
  return {
    install: `${manager} install`,
    test: `${manager} test`,
    evaluate: `${exec} envs eval . -m policy:best`,
    view: `${exec} envs view`,
    info: `${exec} envs info .`,
  };
}

/** Whether a folder is where this repository's workspace has its environments. */
export function isInClone(folder: string): boolean {
  const environments = dirname(folder);
  if (basename(environments) !== "environments") return false;
  return isClone(dirname(environments));
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
