import { checkBubblewrap } from "../bubblewrap/check.ts";
import { killConfined } from "../bubblewrap/spawn.ts";
import { ChildSandbox } from "../child/child-sandbox.ts";
import { Peer } from "../child/peer.ts";
import { peerPool } from "../child/pool.ts";
import type { SandboxProvider } from "../sandbox.ts";
import { findInterpreter, type Interpreter, spawnNative } from "./native-process.ts";

export interface NativePythonOptions {
  /** The command, such as `/opt/venv/bin/python`. Its packages can be imported. Default `python3`. */
  readonly command?: string | undefined;
  /** The number of processes that wait for the next sandbox. Default 1. */
  readonly warm?: number | undefined;
}

/**
 * A Python of this machine, with numpy where that is installed, in a process that bubblewrap confines. It cannot start processes. Variables
 * live from run to run.
 */
export function nativePython(options: NativePythonOptions = {}): SandboxProvider {
  const { command = "python3", warm = 1 } = options;
  let found: Promise<Interpreter> | undefined;
  const interpreter = (): Promise<Interpreter> => {
    found ??= findInterpreter(command).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  const source = peerPool({
    start: async (limits) =>
      new Peer(spawnNative(await interpreter(), limits), {
        kill: killConfined,
        countsCpuTime: false,
      }),
    keyOf: ({ memory, disk }) => `${memory} ${disk}`,
    warm,
  });
  const check = async (): Promise<void> => {
    await checkBubblewrap();
    await interpreter();
  };
  return {
    kind: "sandbox",
    name: "native-python",
    traits: {
      name: "native-python",
      language: "python",
      persistent: true,
      isolation: "process",
      functions: true,
    },
    check,
    async create(sandboxOptions) {
      await check();
      return await ChildSandbox.open(source, sandboxOptions);
    },
  };
}
