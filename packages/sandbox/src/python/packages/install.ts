import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import { findOrMake } from "../../cache.ts";
import { sha256 } from "../../pyodide/cache.ts";
import { readLock } from "../../pyodide/lock.ts";
import { pipDownload } from "../../pyodide/pip.ts";
import { compiledPackages, downloadCompiled } from "./distribution.ts";
import type { PythonRequirement } from "./requirements.ts";
import { manifestFile, packageFolder, type PackageManifest, wheelFolder } from "./store.ts";

/**
 * Downloads packages and what they depend on into the cache, unless it has them: those that Pyodide's authors compiled from them,
 * all others by the user's pip or uv. Rejects with a `ConfigError` if a package is not available.
 */
export async function installPackages(
  requirements: readonly PythonRequirement[],
  onStep: (step: string) => void,
): Promise<string> {
  const folder = packageFolder(requirements);
  try {
    return await findOrMake(folder, async (unfinished) => {
      const wheels = join(unfinished, wheelFolder);
      await mkdir(wheels, { recursive: true });
      await download(requirements, wheels, onStep);
      const manifest = await describe(requirements, wheels);
      await writeFile(join(unfinished, manifestFile), JSON.stringify(manifest, undefined, 2));
    });
  } catch (error) {
    const names = requirements.map(({ line }) => line).join(" ");
    throw new ConfigError(
      `The Python packages ${names} are not installed: ${messageOf(error)}\nRun \`envs sandbox install ${names}\` where the network is, or copy ${folder} from there.`,
      [],
      { cause: error },
    );
  }
}

async function download(
  requirements: readonly PythonRequirement[],
  folder: string,
  onStep: (step: string) => void,
): Promise<void> {
  const lock = readLock();
  const compiled = compiledPackages(requirements, lock);
  const names = new Set(compiled.map(({ name }) => name));
  await downloadCompiled(compiled, folder, onStep);
  const others = requirements.filter(({ name }) => !names.has(name));
  if (others.length === 0) return;
  const [major = "3", minor = "14"] = lock.info.python.split(".");
  const python = ["--python-version", `${major}.${minor}`, "--implementation", "cp"];
  const abi = ["--abi", `cp${major}${minor}`];
  const platform = ["--platform", `pyemscripten_${lock.info.abi_version}_wasm32`];
  await pipDownload({
    folder,
    requirements: others.map(({ line }) => line),
    options: [...python, ...abi, ...platform, "--find-links", folder],
    onStep,
  });
}

async function describe(
  requirements: readonly PythonRequirement[],
  folder: string,
): Promise<PackageManifest> {
  const files = (await readdir(folder)).sort();
  const wheels = [];
  for (const file of files)
    if (file.endsWith(".whl"))
      wheels.push({ file, sha256: sha256(await readFile(join(folder, file))) });
    else await rm(join(folder, file));
  return { requirements: requirements.map(({ line }) => line), wheels };
}
