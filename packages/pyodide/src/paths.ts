import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of Pyodide's files. */
export function pyodideFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
}

/** The module of `startPyodide`, which imports nothing: a confined process can have it without other packages. */
export function startModule(): string {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return fileURLToPath(new URL(`./start.${extension}`, import.meta.url));
}
