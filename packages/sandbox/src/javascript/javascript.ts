import { ChildSandbox } from "../child/child-sandbox.ts";
import { startNode } from "../child/node-process.ts";
import { peerPool } from "../child/pool.ts";
import type { SandboxProvider } from "../sandbox.ts";

/** The pool of processes. A process can run a second sandbox after its first is closed, which leaves only unreachable memory. */
const source = peerPool({
  start: () => startNode(new URL("./child.ts", import.meta.url), { countsCpuTime: true }),
  reused: 2,
});

/**
 * JavaScript in QuickJS, inside WebAssembly with capped memory, in a process without permissions. It works wherever Node does.
 *
 * Code has the language, timers, `console`, `require("fs")` and `require("./file.js")` over the sandbox's files, top-level
 * `await`, and no network. `memory` is the engine's; `processes` has no meaning.
 */
export function javascript(): SandboxProvider {
  return {
    kind: "sandbox",
    name: "javascript",
    traits: {
      name: "javascript",
      language: "javascript",
      persistent: true,
      isolation: "wasm",
      functions: true,
    },
    check: async () => {},
    create: (options) => ChildSandbox.open(source, options),
  };
}
