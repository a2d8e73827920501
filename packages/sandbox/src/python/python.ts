import { checkBubblewrap } from "../bubblewrap/check.ts";
import { killConfined } from "../bubblewrap/spawn.ts";
import { ChildSandbox } from "../child/child-sandbox.ts";
import { Peer } from "../child/peer.ts";
import { peerPool } from "../child/pool.ts";
import type { Limits, SandboxProvider } from "../sandbox.ts";
import { spawnPyodide } from "./pyodide-process.ts";
import { snapshotFile } from "./snapshot.ts";

export interface PythonOptions {
  /** How many processes wait for the next sandbox, each with 150 MB. Default 2. */
  readonly warm?: number | undefined;
}

/**
 * Python 3.14 in WebAssembly (Pyodide), in a process that bubblewrap confines. It has the standard library without processes, threads
 * and network. Variables live from run to run.
 */
export function python({ warm = 2 }: PythonOptions = {}): SandboxProvider {
  const source = peerPool({ start, keyOf: ({ memory }) => String(memory), warm });
  return {
    kind: "sandbox",
    name: "python",
    traits: {
      name: "python",
      language: "python",
      persistent: true,
      isolation: "process",
      functions: true,
    },
    check: checkBubblewrap,
    async create(options) {
      await checkBubblewrap();
      return await ChildSandbox.open(source, options);
    },
  };
}

async function start({ memory }: Limits): Promise<Peer> {
  const snapshot = await snapshotFile();
  const files = { "/snapshot": snapshot };
  return new Peer(spawnPyodide({ memory, files, task: ["serve"] }), killConfined);
}
