import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { FailureError } from "@envs/terminal";

/** What is read of a package.json. */
export interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly files?: readonly string[];
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Reads a folder's package.json. */
export async function readPackageJson(folder: string): Promise<PackageJson> {
  const file = join(folder, "package.json");
  const text = await readFile(file, "utf8");
  try {
    return JSON.parse(text) as PackageJson;
  } catch (error) {
    throw new FailureError(`${file} is not JSON: ${(error as Error).message}`);
  }
}

/** The nearest folder above a file that has a package.json. */
export function packageRoot(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return undefined;
}
