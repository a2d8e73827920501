import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import { version } from "pyodide";

import { cacheFolder, cacheKey, findOrMake } from "../cache.ts";
import { loadDriver } from "./driver.ts";
import type { PythonRequirement } from "./packages/requirements.ts";
import { packageFolder, wheelFolder } from "./packages/store.ts";
import { loadWheels } from "./packages/wheels.ts";
import { spawnPyodide } from "./pyodide-process.ts";

/** Modules of the standard library that the snapshot contains: Pyodide imports slowly. */
const modules =
  "abc array ast base64 bisect collections contextlib copy csv dataclasses datetime decimal enum fractions functools hashlib heapq itertools json math operator pathlib random re statistics string textwrap time timeit traceback typing unittest uuid";
const prepare = `exec("import ${modules.split(" ").join(", ")}", {})\n`;

const memory = 512 * 1024 ** 2;

/** The files that a process of Pyodide has beside Pyodide itself, by their path inside. */
export type PyodideFiles = Readonly<Record<string, string>>;

const made = new Map<string, Promise<string>>();

/**
 * Python's snapshot, and the wheels of installed packages. If the snapshot is missing, one process makes it, in four seconds, or as long
 * as the packages need to be imported; others wait.
 */
export async function snapshotFiles(
  requirements: readonly PythonRequirement[],
): Promise<PyodideFiles> {
  const path = snapshotPath(requirements);
  let file = made.get(path);
  if (file === undefined) {
    file = findOrMake(path, (unfinished) => make(unfinished, requirements));
    made.set(path, file);
    file.catch(() => made.delete(path));
  }
  return { "/snapshot": await file, ...wheelsOf(requirements) };
}

export function snapshotPath(requirements: readonly PythonRequirement[] = []): string {
  const key = cacheKey([version, prepare, loadDriver, loadWheels([])]);
  const folder =
    requirements.length === 0 ? join(cacheFolder(), "python") : packageFolder(requirements);
  return join(folder, key, "snapshot");
}

function wheelsOf(requirements: readonly PythonRequirement[]): PyodideFiles {
  if (requirements.length === 0) return {};
  return { "/wheels": join(packageFolder(requirements), wheelFolder) };
}

async function make(path: string, requirements: readonly PythonRequirement[]): Promise<void> {
  const files = wheelsOf(requirements);
  const names = requirements.map(({ name }) => name);
  const bytes = await takeInProcess(files, names).catch((error: unknown) => {
    // Skips packages that import JavaScript, which a snapshot cannot contain. They are imported when code needs them.
    if (names.length > 0) return takeInProcess(files, []);
    throw error;
  });
  await writeFile(path, bytes);
}

async function takeInProcess(files: PyodideFiles, names: readonly string[]): Promise<Uint8Array> {
  const program = `${prepare}${loadDriver}${loadWheels(names)}`;
  const child = spawnPyodide({ memory, files, task: ["snapshot", program] });
  const [, , errors, , output] = child.stdio as unknown as Readable[];
  const [bytes, text] = await Promise.all([buffer(output!), buffer(errors!)]);
  if (bytes.length < 4 || bytes.length !== 4 + bytes.readUInt32BE(0))
    throw new Error(`Pyodide could not be started: ${text.toString("utf8").trim() || "no output"}`);
  return bytes.subarray(4);
}
