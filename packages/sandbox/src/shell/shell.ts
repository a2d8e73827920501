import { ConfigError } from "@envs/core";

import { ChildSandbox } from "../child/child-sandbox.ts";
import { startNode } from "../child/node-process.ts";
import { peerPool } from "../child/pool.ts";
import type { SandboxProvider } from "../sandbox.ts";
import { programs } from "./programs.ts";

export interface ShellOptions {
  /** Runs the machine's bash and programs inside bubblewrap, instead of a shell written in TypeScript. Default false. */
  readonly native?: boolean | undefined;
}

/** The memory of Node itself in megabytes, in addition to the shell's. */
const overhead = 64;

/**
 * A shell with files in memory, by just-bash: bash's language and seventy commands in TypeScript, in a process without
 * permissions. It works wherever Node does, but has no other programs. Variables end with a run, files stay.
 *
 * With `native`, the machine's own bash and programs.
 */
export function shell({ native = false }: ShellOptions = {}): SandboxProvider {
  if (native) return programs();
  // One sandbox per process, because the interpreter shares a heap with the code.
  const source = peerPool({
    start: ({ memory }) =>
      startNode(new URL("./child.ts", import.meta.url), {
        nodeOptions: [`--max-old-space-size=${Math.ceil(memory / 2 ** 20) + overhead}`],
        countsCpuTime: false,
      }),
  });
  return {
    kind: "sandbox",
    name: "shell",
    traits: {
      name: "shell",
      language: "shell",
      persistent: false,
      isolation: "process",
      functions: true,
    },
    check,
    async create(options = {}) {
      await check();
      return await ChildSandbox.open(source, options);
    },
  };
}

async function check(): Promise<void> {
  try {
    import.meta.resolve("just-bash");
  } catch (error) {
    throw new ConfigError(
      "just-bash is not installed, which is the shell. Install it: npm install just-bash",
      [],
      { cause: error },
    );
  }
}
