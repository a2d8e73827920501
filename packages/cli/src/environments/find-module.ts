import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

/** Where an environment's code is. */
export interface Entry {
  readonly file: string;
  /** The person named this file itself: the package around it is not the environment's. */
  readonly isLooseFile: boolean;
}

/** Finds the module of an environment: a path, a package, or the name of a package within `@envs/`. */
export function findEntry(reference: string, from: string): Entry | undefined {
  const path = resolve(from, reference);
  const isPath = /^\.|[/\\]|\.(ts|js|mjs)$/.test(reference) && existsSync(path);
  if (isPath && !statSync(path).isDirectory()) return { file: path, isLooseFile: true };
  const file = isPath ? entryOfFolder(path) : entryOfName(reference, from);
  return file === undefined ? undefined : { file, isLooseFile: false };
}

function entryOfName(reference: string, from: string): string | undefined {
  const require = createRequire(join(from, "noop.js"));
  const names = reference.startsWith("@") ? [reference] : [`@envs/${reference}`, reference];
  for (const name of names) {
    try {
      return require.resolve(name);
    } catch {
      // The next name may be the one.
    }
  }
  const inWorkspace = join(from, "environments", reference);
  return existsSync(join(inWorkspace, "package.json")) ? entryOfFolder(inWorkspace) : undefined;
}

/** A package can name itself: so its own `exports` decide. */
function entryOfFolder(folder: string): string | undefined {
  const require = createRequire(join(folder, "noop.js"));
  try {
    const { name } = require(join(folder, "package.json")) as { name?: string };
    if (name !== undefined) return require.resolve(name);
  } catch {
    // A folder without a package may still have an index.
  }
  const files = ["index.ts", "index.js", "src/index.ts"].map((file) => join(folder, file));
  return files.find((file) => existsSync(file));
}
