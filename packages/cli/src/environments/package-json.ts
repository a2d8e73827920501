import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { FailureError } from "../terminal/errors.ts";

/** The fields of a package.json that the commands read. */
export interface PackageJson {
  readonly name?: string;
  readonly version?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly bin?: string | Readonly<Record<string, string>>;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: {
    readonly registry?: unknown;
    readonly access?: unknown;
    /** Replaces the package's own `exports` when pnpm or Yarn publishes it. */
    readonly exports?: unknown;
  };
}

/** Reads the package.json in a folder. Throws a `FailureError` if it is not JSON. */
export async function readPackageJson(folder: string): Promise<PackageJson> {
  const file = join(folder, "package.json");
  const text = await readFile(file, "utf8");
  try {
    return JSON.parse(text) as PackageJson;
  } catch (error) {
    throw new FailureError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}

/** The nearest folder above a file that contains a package.json. */
export function packageRoot(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "package.json"))) return folder;
  return undefined;
}
