import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/** The file that exports an environment. */
export interface EnvironmentModule {
  readonly file: string;
  /** The reference names the file itself, so the package around it does not belong to the environment. */
  readonly isLooseFile: boolean;
}

/** Resolves a path, a package name, or the name of a package in `@envs/`. Returns `undefined` if none exists. */
export function findModule(reference: string, folder: string): EnvironmentModule | undefined {
  const path = resolve(folder, reference);
  const isPath = /^\.|[/\\]|\.(ts|js|mjs)$/.test(reference) && existsSync(path);
  if (isPath && !statSync(path).isDirectory()) return { file: path, isLooseFile: true };
  const file = isPath ? moduleInFolder(path) : moduleOfPackage(reference, folder);
  return file === undefined ? undefined : { file, isLooseFile: false };
}

function moduleOfPackage(reference: string, folder: string): string | undefined {
  const require = createRequire(join(folder, "noop.js"));
  const names = reference.startsWith("@") ? [reference] : [`@envs/${reference}`, reference];
  for (const name of names) {
    try {
      return require.resolve(name);
    } catch {
      // Try the next name.
    }
  }
  const workspaceFolder = join(folder, "environments", reference);
  return existsSync(join(workspaceFolder, "package.json"))
    ? moduleInFolder(workspaceFolder)
    : undefined;
}

/** Resolves the package by its own name, so that its `exports` apply. */
function moduleInFolder(folder: string): string | undefined {
  const require = createRequire(join(folder, "noop.js"));
  try {
    const { name } = require(join(folder, "package.json")) as { name?: string };
    if (name !== undefined) return require.resolve(name);
  } catch {
    // A folder without a package may still have an index file.
  }
  const files = ["index.ts", "index.js", "src/index.ts"].map((file) => join(folder, file));
  return files.find((file) => existsSync(file));
}
