import { statSync } from "node:fs";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";

import { ConfigError } from "@envs/core";

import { FailureError } from "./terminal/errors.ts";

/** Imports the default export of a file that the user wrote. `subject` names the file's role, such as "Config file". */
export async function importDefault(path: string, subject: string): Promise<unknown> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new ConfigError(`${subject} ${path} not found.`);
  if (stats.isDirectory() || ![".ts", ".mts", ".js", ".mjs"].includes(extname(path)))
    throw new ConfigError(
      `${subject} ${path} is not a module. Pass a .ts or .js file with a default export.`,
    );
  try {
    const module = (await import(pathToFileURL(path).href)) as { readonly default?: unknown };
    return module.default;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new FailureError(`Cannot load ${path}: ${message}`, { cause: error });
  }
}
