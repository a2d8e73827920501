import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { ownScope } from "../terminal/own-scope.ts";

const notFound = new Set(["MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED"]);

/**
 * The URL of a module, such as `@envs/trainer/commands`: in the user's project, else beside this command line. pnpm 11 links a
 * global package to a folder with its dependencies alone, so the path of the link counts, too.
 */
export function findModule(specifier: string): string | undefined {
  for (const origin of [projectOrigin(), import.meta.filename, process.argv[1] ?? ""]) {
    const url = origin === "" ? undefined : resolveFrom(origin, specifier);
    if (url !== undefined) return url;
  }
  return undefined;
}

/** Whether a module is in the user's project, not only beside a global command line. */
export function isInProject(specifier: string): boolean {
  return resolveFrom(projectOrigin(), specifier) !== undefined;
}

/** Whether one of our packages is installed. `name` has no scope. */
export function isInstalled(name: string): boolean {
  return findModule(`${ownScope}/${name}/package.json`) !== undefined;
}

function projectOrigin(): string {
  return join(process.cwd(), "noop.js");
}

function resolveFrom(origin: string, specifier: string): string | undefined {
  try {
    return pathToFileURL(createRequire(origin).resolve(specifier)).href;
  } catch (error) {
    if (notFound.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
