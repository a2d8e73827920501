import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { version } from "pyodide";

import { cacheFolder, cacheKey } from "../../cache.ts";
import { readChecked } from "../../pyodide/cache.ts";
import type { PythonRequirement } from "./requirements.ts";

export interface PackageManifest {
  readonly requirements: readonly string[];
  readonly wheels: readonly { readonly file: string; readonly sha256: string }[];
}

export const manifestFile = "packages.json";
export const wheelFolder = "wheels";

/** The folder with the wheels of some packages for this version of Pyodide. */
export function packageFolder(requirements: readonly PythonRequirement[]): string {
  return folderOf(requirements.map(({ line }) => line));
}

export function packagesFolder(): string {
  return join(cacheFolder(), "python-packages");
}

function folderOf(lines: readonly string[]): string {
  return join(packagesFolder(), cacheKey([version, lines]));
}

/** Reads the manifest of a folder of packages; `undefined` for another folder. */
export function readManifest(folder: string): PackageManifest | undefined {
  const path = join(folder, manifestFile);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as PackageManifest) : undefined;
}

/** Whether a folder of packages belongs to this version of Pyodide. */
export function isCurrent(folder: string, { requirements }: PackageManifest): boolean {
  return folder === folderOf(requirements);
}

/** Throws a `ConfigError` if a wheel of a folder differs from the one that was downloaded. */
export function checkPackages(folder: string): void {
  const { requirements = [], wheels = [] } = readManifest(folder) ?? {};
  const remedy = `Remove ${folder}, and run: envs sandbox install ${requirements.join(" ")}`;
  try {
    for (const { file, sha256 } of wheels)
      readChecked(join(folder, wheelFolder, file), { sha256, remedy });
  } catch (error) {
    throw new ConfigError(messageOf(error), [], { cause: error });
  }
}
