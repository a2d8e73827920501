// The functions that `@envs/scores/maths` needs to run Python.
export { loadPyodide, version } from "pyodide";
export type { PyodideAPI } from "pyodide";
export { cacheFolder, readChecked, sha256 } from "./cache.ts";
export { pipDownload } from "./pip.ts";
export type { PipDownload } from "./pip.ts";
export { restorePyodide, startPyodide, takeSnapshot } from "./start.ts";
export type { PyodideStart } from "./start.ts";
