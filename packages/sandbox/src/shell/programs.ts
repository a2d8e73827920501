import { checkBubblewrap } from "../bubblewrap/check.ts";
import type { SandboxProvider } from "../sandbox.ts";
import { ProgramSandbox } from "./program-sandbox.ts";

/**
 * The machine's bash and programs inside bubblewrap, with `/usr` read-only, no network and a folder in memory. Each run is a
 * process tree that ends with the run; files persist between runs.
 */
export function programs(): SandboxProvider {
  return {
    kind: "sandbox",
    name: "programs",
    traits: {
      name: "programs",
      language: "shell",
      persistent: false,
      isolation: "process",
      functions: false,
    },
    check: checkBubblewrap,
    async create(options = {}) {
      await checkBubblewrap();
      return new ProgramSandbox(options);
    },
  };
}
