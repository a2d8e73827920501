import { type ChildProcess, execFile } from "node:child_process";
import { lstatSync, readlinkSync } from "node:fs";
import { promisify } from "node:util";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import * as z from "zod";

import { spawnConfined } from "../bubblewrap/spawn.ts";
import { descriptors } from "../child/peer.ts";
import type { Limits } from "../sandbox.ts";
import { nativeLoop } from "./native-loop.ts";

/** The address space of Python and numpy before the first line of code runs. */
const overhead = 256 * 1024 ** 2;

/** A Python of this machine. */
export interface Interpreter {
  readonly executable: string;
  readonly version: string;
  /** The folders that its modules are in. */
  readonly folders: readonly string[];
}

const facts = z.object({
  executable: z.string(),
  version: z.string(),
  folders: z.array(z.string()),
});
const question = `import json, os, platform, sys
print(json.dumps({
  "executable": os.path.realpath(sys.executable) if sys.prefix == sys.base_prefix else sys.executable,
  "version": platform.python_version(),
  "folders": sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable)), *sys.path} - {"", "/"}),
}))`;

const run = promisify(execFile);

/** Describes a Python by its command. Rejects with a `ConfigError` if it does not start. */
export async function findInterpreter(command: string): Promise<Interpreter> {
  try {
    const { stdout } = await run(command, ["-I", "-c", question], { timeout: 30_000 });
    return facts.parse(JSON.parse(stdout));
  } catch (error) {
    throw new ConfigError(
      `${command} does not start: ${messageOf(error).split("\n")[0]}. Install Python 3.9 or later (on Debian: apt-get install python3), or use python(), which needs none.`,
      [],
      { cause: error },
    );
  }
}

/** Starts a Python of this machine, confined. Inside are its folders and the system's programs, read-only, and a folder in memory. */
export function spawnNative(
  { executable, folders }: Interpreter,
  { memory, disk }: Pick<Limits, "memory" | "disk">,
): ChildProcess {
  const { readOnly, links } = systemFolders();
  return spawnConfined(
    {
      name: "native-python",
      command: [executable, "-I", "-c", nativeLoop],
      readOnly: { ...readOnly, ...Object.fromEntries(folders.map((path) => [path, path])) },
      links,
      system: true,
      writable: { "/tmp": disk },
      folder: "/tmp",
      environment: {
        HOME: "/tmp",
        PATH: "/usr/local/bin:/usr/bin:/bin",
        PYTHONHASHSEED: "0",
        MALLOC_ARENA_MAX: "2",
        // Each thread of numpy's libraries reserves memory.
        OPENBLAS_NUM_THREADS: "1",
        OMP_NUM_THREADS: "1",
      },
      ulimits: { v: (memory + overhead) / 1024, n: 256 },
    },
    descriptors,
  );
}

/** The folders of programs and libraries. Where they are links into `/usr`, they are links inside too. */
function systemFolders(): Required<
  Pick<Parameters<typeof spawnConfined>[0], "readOnly" | "links">
> {
  const readOnly: Record<string, string> = {};
  const links: Record<string, string> = {};
  for (const path of [
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/alternatives",
  ]) {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status?.isSymbolicLink() === true) links[path] = readlinkSync(path);
    else if (status !== undefined) readOnly[path] = path;
  }
  return { readOnly, links };
}
