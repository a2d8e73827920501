import { readFileSync } from "node:fs";
import { join } from "node:path";

import { pyodideFolder } from "./paths.ts";

/** A package that Pyodide's authors have built for this version of it. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly file_name: string;
  readonly sha256: string;
  readonly depends: readonly string[];
}

export interface PyodideLock {
  readonly info: { readonly abi_version: string; readonly python: string };
  /** The packages by normalized name. */
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The packages that belong to this version of Pyodide. Its npm package lists them with their hashes, and does not contain them. */
export function readLock(): PyodideLock {
  return JSON.parse(
    readFileSync(join(pyodideFolder(), "pyodide-lock.json"), "utf8"),
  ) as PyodideLock;
}
