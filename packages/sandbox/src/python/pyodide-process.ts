import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { spawnConfined } from "../bubblewrap/spawn.ts";
import { descriptors } from "../child/peer.ts";
import { pyodideFolder } from "../pyodide/paths.ts";

/** Address space that Node and V8 map beside Python's memory; most of it is reserved for code and never used. */
const overhead = 1536 * 1024 ** 2;
const pageSize = 65_536;

export interface PyodideProcess {
  readonly memory: number;
  /** Files for the process, by their path inside. */
  readonly files: Readonly<Record<string, string>>;
  /** Arguments of `child/main`. */
  readonly task: readonly [name: "serve"] | readonly [name: "snapshot", prepare: string];
}

/** Starts Node with Pyodide, confined. Inside are Node, its libraries, Pyodide and this package, and nothing that can be written. */
export function spawnPyodide({ memory, files, task }: PyodideProcess): ChildProcess {
  const [name, ...rest] = task;
  const main = `/app/code/python/child/main.${extension}`;
  return spawnConfined(
    {
      name: "python",
      command: [
        "/node",
        // V8 itself limits WebAssembly, also for code that reached JavaScript.
        `--wasm-max-mem-pages=${Math.floor(memory / pageSize)}`,
        "--v8-pool-size=1",
        "--max-old-space-size=256",
        "--no-warnings",
        main,
        name,
        String(memory),
        ...rest,
      ],
      readOnly: {
        "/node": process.execPath,
        ...Object.fromEntries(sharedLibraries().map((path) => [path, path])),
        "/pyodide": pyodideFolder(),
        "/app/code": codeFolder,
        "/app/package.json": join(codeFolder, "..", "package.json"),
        ...files,
      },
      ulimits: { d: (memory + overhead) / 1024, n: 256 },
    },
    descriptors,
  );
}

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const codeFolder = fileURLToPath(new URL("..", import.meta.url));

let libraries: readonly string[] | undefined;

/** The shared libraries that this Node has loaded, the only files of the system that it needs. */
function sharedLibraries(): readonly string[] {
  if (libraries !== undefined) return libraries;
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  const { excludeNetwork } = report;
  // Disables name resolution of all connections in the report.
  report.excludeNetwork = true;
  const { sharedObjects } = report.getReport() as unknown as {
    readonly sharedObjects: readonly string[];
  };
  report.excludeNetwork = excludeNetwork;
  // Skips native modules, such as a model's, which do not belong to Node.
  libraries = sharedObjects.filter(
    (path) => path.startsWith("/") && /\.so[.\d]*$/.test(path) && !path.includes("/node_modules/"),
  );
  return libraries;
}
