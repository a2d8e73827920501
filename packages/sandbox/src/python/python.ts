import { checkBubblewrap } from "../bubblewrap/check.ts";
import { killConfined } from "../bubblewrap/spawn.ts";
import { ChildSandbox } from "../child/child-sandbox.ts";
import { Peer } from "../child/peer.ts";
import { peerPool } from "../child/pool.ts";
import type { SandboxProvider } from "../sandbox.ts";
import { installPackages } from "./packages/install.ts";
import { readRequirements } from "./packages/requirements.ts";
import { checkPackages } from "./packages/store.ts";
import { spawnPyodide } from "./pyodide-process.ts";
import { snapshotFiles } from "./snapshot.ts";

export interface PythonOptions {
  /** The number of processes that wait for the next sandbox, each with 150 MB. Default 2. */
  readonly warm?: number | undefined;
  /**
   * Packages that code can import, with what they depend on, as pip names them: `numpy`, `sympy==1.14.0`. They are downloaded once,
   * by `envs sandbox install` or by the first `check()`.
   */
  readonly packages?: readonly string[] | undefined;
}

/**
 * Python 3.14 in WebAssembly (Pyodide), in a process that bubblewrap confines. It has the standard library without processes, threads
 * and network. Variables live from run to run.
 */
export function python({ warm = 2, packages = [] }: PythonOptions = {}): SandboxProvider {
  const requirements = readRequirements(packages);
  let installed: Promise<void> | undefined;
  const install = async (): Promise<void> => {
    if (requirements.length === 0) return;
    const onStep = (step: string): void => void process.stderr.write(`${step} …\n`);
    checkPackages(await installPackages(requirements, onStep));
  };
  const check = async (): Promise<void> => {
    await checkBubblewrap();
    installed ??= install().catch((error: unknown) => {
      installed = undefined;
      throw error;
    });
    await installed;
  };
  const source = peerPool({
    async start({ memory }) {
      const files = await snapshotFiles(requirements);
      return new Peer(spawnPyodide({ memory, files, task: ["serve"] }), {
        kill: killConfined,
        countsCpuTime: true,
      });
    },
    keyOf: ({ memory }) => String(memory),
    warm,
  });
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
    check,
    async create(options) {
      await check();
      return await ChildSandbox.open(source, options);
    },
  };
}
