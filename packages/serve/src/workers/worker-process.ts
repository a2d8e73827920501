import { type ChildProcess, spawn } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const entry = fileURLToPath(new URL(`worker.${extension}`, import.meta.url));

/**
 * Options of Node. Most of what a step allocates is garbage at once, so a young generation of 4 MiB serves as well as V8's
 * 16: two idle processes need 65 MiB less. Collecting it takes one thread: with workers for all cores, more threads only wait
 * for each other.
 */
const execArgv = ["--max-semi-space-size=4", "--no-parallel-scavenge", "--v8-pool-size=1"];

/** Starts a process that runs episodes. It shares this process's compile cache, which saves memory. */
export function startWorkerProcess(): ChildProcess {
  const cache = getCompileCacheDir();
  const env =
    cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
  // What an environment prints must not mix with the output of the command.
  return spawn(process.execPath, [...execArgv, entry], { env, stdio: ["ignore", 2, 2, "pipe"] });
}
