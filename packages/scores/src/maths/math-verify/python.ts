import {
  loadPyodide,
  type PyodideAPI,
  restorePyodide,
  startPyodide,
  takeSnapshot as memoryOf,
} from "@envs/sandbox/pyodide";

import { program, wheelFolder } from "./program.ts";

/** The options of Python's start. It raises a `MemoryError` above this size, and needs 94 MB after its start. */
const start = { load: loadPyodide, maxMemory: 512 * 1024 ** 2 };

/** The bytes of wheels, by file name. */
type WheelFiles = ReadonlyMap<string, Uint8Array>;

/** A running Python with Math-Verify. */
export interface Python {
  readonly same: (answer: string, reference: string) => boolean;
  /** The size of its memory in bytes. It never gets smaller. */
  readonly memory: () => number;
}

/** Starts Python from a snapshot, in half a second of CPU time. */
export async function restorePython(snapshot: Uint8Array, files: WheelFiles): Promise<Python> {
  const pyodide = await restorePyodide(start, snapshot);
  writeWheels(pyodide, files);
  const same = pyodide.globals.get("same") as Python["same"];
  const { _module } = pyodide as unknown as { _module: { HEAPU8: Uint8Array } };
  return { same, memory: () => _module.HEAPU8.byteLength };
}

/** Starts Python, imports Math-Verify, which takes 12 s of CPU time, and returns its memory. */
export async function takeSnapshot(files: WheelFiles): Promise<Uint8Array> {
  const pyodide = await startPyodide(start);
  writeWheels(pyodide, files);
  pyodide.runPython(program);
  return memoryOf(pyodide);
}

function writeWheels(pyodide: PyodideAPI, files: WheelFiles): void {
  pyodide.FS.mkdirTree(wheelFolder);
  for (const [file, bytes] of files) pyodide.FS.writeFile(`${wheelFolder}/${file}`, bytes);
}
