import { createRequire } from "node:module";
import { dirname } from "node:path";

/** The folder of Pyodide's files. */
export function pyodideFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("pyodide/package.json"));
}
