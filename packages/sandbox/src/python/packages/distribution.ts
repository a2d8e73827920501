import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { messageOf } from "@envs/core/engine";
import { version } from "pyodide";

import { sha256 } from "../../pyodide/cache.ts";
import type { LockedPackage, PyodideLock } from "../../pyodide/lock.ts";
import type { PythonRequirement } from "./requirements.ts";

const timeoutMs = 120_000;

/** The address of the packages that Pyodide's authors compiled. `ENVS_PYODIDE_PACKAGES` is the address of a copy. */
function address(): string {
  const own = process.env["ENVS_PYODIDE_PACKAGES"] || undefined;
  return (own ?? `https://cdn.jsdelivr.net/pyodide/v${version}/full`).replace(/\/$/, "");
}

/**
 * The packages that Pyodide's authors compiled for this version, and what they depend on, for those requirements that name one.
 * Other packages and versions come from the Python index.
 */
export function compiledPackages(
  requirements: readonly PythonRequirement[],
  { packages }: PyodideLock,
): readonly LockedPackage[] {
  const found = new Map<string, LockedPackage>();
  const add = (name: string): void => {
    const locked = packages[name];
    if (locked === undefined || found.has(name)) return;
    found.set(name, locked);
    for (const dependency of locked.depends) add(dependency);
  };
  for (const { name, versions } of requirements) {
    const locked = packages[name];
    if (locked === undefined || locked.file_name.endsWith("-none-any.whl")) continue;
    if (versions === undefined || versions === `==${locked.version}`) add(name);
  }
  return [...found.values()];
}

/** Downloads wheels into a folder. Throws if one cannot be had, or has another hash than the lock file of Pyodide. */
export async function downloadCompiled(
  packages: readonly LockedPackage[],
  folder: string,
  onStep: (step: string) => void,
): Promise<void> {
  for (const { file_name: file, sha256: expected } of packages) {
    const url = `${address()}/${file}`;
    if (!file.endsWith(".whl"))
      throw new Error(`${file} is a library, which python() cannot load.`);
    onStep(`Downloading ${url}`);
    const bytes = await get(url);
    const actual = sha256(bytes);
    if (actual !== expected)
      throw new Error(`${url} has the SHA-256 ${actual}, and Pyodide ${version} has ${expected}.`);
    await writeFile(join(folder, file), bytes);
  }
}

async function get(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    throw new Error(
      `${url} could not be downloaded: ${messageOf(error)}. Check the network, or set ENVS_PYODIDE_PACKAGES to the address of a copy of Pyodide's packages.`,
      { cause: error },
    );
  }
}
