import { existsSync, readdirSync, readFileSync } from "node:fs";

import type { PyodideAPI } from "pyodide";

import { sendBytes, serve } from "../../child/channel.ts";
import {
  type PyodideStart,
  restorePyodide,
  startPyodide,
  takeSnapshot,
} from "../../pyodide/start.ts";
import { loadDriver } from "../driver.ts";
import { Interpreter } from "./interpreter.ts";

// Pyodide in Node, in the sandbox: all paths are those inside.
const [task = "", maxMemory = "", prepare = ""] = process.argv.slice(2);
const entry: string = "/pyodide/pyodide.mjs";
const { loadPyodide } = (await import(entry)) as {
  readonly loadPyodide: PyodideStart["load"];
};
const start = { load: loadPyodide, indexURL: "/pyodide/", maxMemory: Number(maxMemory) };

if (task === "snapshot") {
  const pyodide = await startPyodide(start);
  writeWheels(pyodide);
  pyodide.runPython(prepare);
  pyodide.runPython(loadDriver);
  sendBytes(takeSnapshot(pyodide));
} else {
  const pyodide = await restorePyodide(start, readFileSync("/snapshot"));
  writeWheels(pyodide);
  const interpreter = new Interpreter(pyodide);
  await serve((request) => interpreter.answer(request));
}

/** Python imports from wheels without unpacking them. The path is part of the snapshot. */
function writeWheels({ FS }: PyodideAPI): void {
  if (!existsSync("/wheels")) return;
  FS.mkdirTree("/wheels");
  for (const file of readdirSync("/wheels"))
    FS.writeFile(`/wheels/${file}`, readFileSync(`/wheels/${file}`));
}
