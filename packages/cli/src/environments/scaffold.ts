import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { UsageError } from "@envs/terminal";

import { version } from "../version.ts";

/** What a new environment is like. */
export const kinds = {
  single: "one question, one answer",
  multi: "a conversation with the environment",
  tools: "the model calls tools",
} as const;

export type Kind = keyof typeof kinds;

/** The versions that a new package depends on; a test holds them to those of this workspace. */
export const versions = {
  node: "^24.0.0",
  typescript: "^7.0.2",
  vitest: "^5.1.1",
  zod: "^4.6.7",
} as const;

export interface Scaffold {
  /** Kebab-case: the environment's name, and the last part of the package's. */
  readonly name: string;
  /** Without `@`. */
  readonly scope: string | undefined;
  readonly kind: Kind;
  readonly description: string;
  readonly folder: string;
}

const templates = join(import.meta.dirname, "../../templates");

/** Throws a `UsageError` if a name cannot be a package's and an environment's. */
export function checkName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) && name.length <= 64) return;
  const fixed = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^[-0-9]+|-+$/g, "");
  const hint = fixed === "" || fixed.length > 64 ? "" : ` For instance: ${fixed}`;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be the name of an environment. Use small letters, digits and single dashes, a letter first.${hint}`,
  );
}

/** A fresh repository is as good as empty. */
async function checkFolder(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new UsageError(`${folder} cannot be written to (${error.message}).`);
  });
  if (entries.every((name) => name === ".git")) return;
  throw new UsageError(`${folder} is not empty. Choose another with --directory.`);
}

/** Writes the files of a new environment package. Resolves to their paths within the folder. */
export async function writeScaffold(scaffold: Scaffold): Promise<readonly string[]> {
  const { folder, kind, name, scope, description } = scaffold;
  await checkFolder(folder);
  const values: Readonly<Record<string, string>> = {
    ...versions,
    name,
    package: scope === undefined ? name : `@${scope}/${name}`,
    description: description.replaceAll(/["\\\n]/g, ""),
    core: `^${version}`,
  };
  const written: string[] = [];
  for (const template of ["common", kind]) {
    const root = join(templates, template);
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(
        entry.parentPath.slice(root.length + 1),
        realNames[entry.name] ?? entry.name,
      );
      const text = await readFile(join(entry.parentPath, entry.name), "utf8");
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(
        target,
        text.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? ""),
      );
      written.push(path);
    }
  }
  return written.toSorted();
}

/** Packing leaves out a .gitignore, and takes a package.json for a package: their templates have other names. */
const realNames: Readonly<Record<string, string>> = {
  gitignore: ".gitignore",
  "package.template.json": "package.json",
};
