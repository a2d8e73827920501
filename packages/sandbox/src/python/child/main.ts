import { existsSync, readdirSync, readFileSync } from "node:fs";

import type * as Pyodide from "pyodide";
import type { PyodideAPI } from "pyodide";

import { sendBytes, serve } from "../../child/channel.ts";
import { restorePyodide, startPyodide, takeSnapshot } from "../../pyodide/start.ts";
import { Interpreter } from "./interpreter.ts";

// The process of Pyodide in the sandbox. All paths are paths inside the sandbox.
const [task = "", maxMemory = "", prepare = ""] = process.argv.slice(2);
const entry: string = "/pyodide/pyodide.mjs";
const { loadPyodide } = (await import(entry)) as typeof Pyodide;
const start = { load: loadPyodide, indexURL: "/pyodide/", maxMemory: Number(maxMemory) };

if (task === "snapshot") {
  const pyodide = await startPyodide(start);
  copyWheels(pyodide);
  pyodide.runPython(prepare);
  sendBytes(takeSnapshot(pyodide));
} else {
  const pyodide = await restorePyodide(start, readFileSync("/snapshot"));
  copyWheels(pyodide);
  unpackWheels(pyodide);
  const interpreter = new Interpreter(pyodide);
  await serve((request) => interpreter.answer(request));
}

/** The path is part of the snapshot. */
function copyWheels({ FS }: PyodideAPI): void {
  if (!existsSync("/wheels")) return;
  FS.mkdirTree("/wheels");
  for (const file of readdirSync("/wheels"))
    FS.writeFile(`/wheels/${file}`, readFileSync(`/wheels/${file}`));
}

/** Python cannot import compiled modules from a wheel, and packages cannot read their files there. */
function unpackWheels(pyodide: PyodideAPI): void {
  const { packages: extractDir, unpacked } = pyodide.pyimport("envs_driver") as {
    readonly packages: string;
    readonly unpacked: Iterable<string>;
  };
  for (const file of unpacked) {
    const bytes = new Uint8Array(readFileSync(`/wheels/${file}`));
    pyodide.unpackArchive(bytes, "wheel", { extractDir });
  }
}
