import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { EnvironmentFactory } from "@envs/core";
import { onTestFinished } from "vitest";

import { importVerifiers } from "../../src/index.ts";

const packages = join(import.meta.dirname, "../../..");

/** Translates modules of Python, given by their paths. */
export function translate(files: Readonly<Record<string, string>>) {
  return importVerifiers({
    name: "sample",
    description: "A sample.",
    tags: [],
    dependencies: [],
    files: new Map(Object.entries(files)),
  });
}

/** Writes files into a folder that is removed after the test. */
export async function temporaryFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "envs-import-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** Writes a translated package to a folder where its imports resolve. */
export async function write(files: ReadonlyMap<string, string>): Promise<string> {
  const folder = await temporaryFolder(Object.fromEntries(files));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@envs"), { recursive: true });
  await mkdir(join(modules, "@types"), { recursive: true });
  for (const name of ["core", "data", "maths"])
    await symlink(join(packages, name), join(modules, "@envs", name));
  await symlink(join(packages, "core/node_modules/zod"), join(modules, "zod"));
  await symlink(join(packages, "../node_modules/@types/node"), join(modules, "@types/node"));
  return folder;
}

/** The environment of translated Python. */
export async function load(files: Readonly<Record<string, string>>): Promise<EnvironmentFactory> {
  const { files: output } = await translate(files);
  const folder = await write(output);
  const module = (await import(join(folder, "src/index.ts"))) as { default: EnvironmentFactory };
  return module.default;
}
