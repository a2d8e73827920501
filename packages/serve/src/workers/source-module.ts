const isSource = import.meta.url.endsWith(".ts");

/** A module of this folder that runs in its own process or thread. */
export function moduleUrl(name: string): URL {
  return new URL(`${name}.${isSource ? "ts" : "js"}`, import.meta.url);
}

/**
 * Options of Node for a process that runs episodes. Most of what a step allocates is garbage at once, so a young generation
 * of 4 MiB serves as well as V8's 16: two idle processes need 65 MiB less. Collecting it takes one thread: with workers for
 * all cores, more threads only wait for each other.
 */
export const workerExecArgv: string[] = [
  "--max-semi-space-size=4",
  "--no-parallel-scavenge",
  "--v8-pool-size=1",
];
