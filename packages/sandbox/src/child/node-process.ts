import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { descriptors, Peer, type PeerOptions } from "./peer.ts";

export interface NodeProcessOptions extends Pick<PeerOptions, "countsCpuTime"> {
  readonly nodeOptions?: readonly string[] | undefined;
}

/**
 * Starts Node with a module of this package. The process has no environment variables; Node's permission model denies it other
 * files than installed modules, and other processes.
 */
export function startNode(
  module: URL,
  { nodeOptions = [], countsCpuTime }: NodeProcessOptions,
): Peer {
  const child = spawn(
    process.execPath,
    [
      ...nodeOptions,
      "--permission",
      ...readableFolders().map((folder) => `--allow-fs-read=${folder}`),
      "--disable-warning=ExperimentalWarning",
      fileURLToPath(builtModule(module)),
    ],
    { env: {}, stdio: [...descriptors] },
  );
  return new Peer(child, { kill: () => void child.kill("SIGKILL"), countsCpuTime });
}

function builtModule(module: URL): URL {
  return existsSync(module) ? module : new URL(module.href.replace(/\.ts$/, ".js"));
}

/** The folders of this package and of installed ones. */
function readableFolders(): readonly string[] {
  const engine = createRequire(import.meta.url).resolve("quickjs-emscripten-core");
  const [installed = engine] = /^.*?[\\/]node_modules[\\/]/.exec(engine) ?? [];
  return [fileURLToPath(new URL("../../", import.meta.url)), installed];
}
