import { existsSync } from "node:fs";
import { join } from "node:path";

import { ConfigError, RolloutError } from "@envs/core";
import { isRolloutError } from "@envs/core/engine";

import { inThread } from "../../threads/in-thread.ts";
import { cacheFolder, checksumFile } from "./cache.ts";
import type { compare, Pair } from "./thread.ts";

const problem =
  "Math-Verify is not installed. It compares answers that are not exactly equal. Run `envs sandbox maths`: it downloads 7 MB from PyPI through your pip or uv.";

/** The function in a thread, one per process: it takes 150 MB, and is three quarters as fast as CPython. */
const compareInThread = inThread<typeof compare>(
  new URL("./thread.ts", import.meta.url),
  "compare",
  { threads: 1, timeout: 15_000, idleTimeout: 60_000 },
);

export function isInstalled(): boolean {
  return existsSync(join(cacheFolder(), checksumFile));
}

export function checkMathVerify(): void {
  if (!isInstalled()) throw new ConfigError(problem);
}

/** Compares two answers by Math-Verify in this process's thread for it. */
export async function mathVerify(
  pair: Pair,
  options: { readonly signal?: AbortSignal | undefined; readonly timeout?: number | undefined },
): Promise<boolean> {
  if (!isInstalled()) throw new RolloutError("score", problem, { isFatal: true });
  try {
    return await compareInThread(pair, options);
  } catch (error) {
    // An exceeded limit of Math-Verify also makes an answer wrong.
    if (isRolloutError(error) && error.code === "timeout" && options.signal?.aborted !== true)
      return false;
    throw error;
  }
}
