import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { pipDownload, sha256 } from "@envs/sandbox/pyodide";

import { inThread } from "../threads/in-thread.ts";
import { cacheFolder, checksumFile, snapshotFile } from "./math-verify/cache.ts";
import { isInstalled } from "./math-verify/math-verify.ts";
import type { snapshotOf } from "./math-verify/snapshot.ts";
import { requirements } from "./math-verify/wheels.ts";

export interface InstallOptions {
  /** Called with each step, such as `Downloading math-verify 0.9.0 …`. */
  readonly onStep?: ((step: string) => void) | undefined;
}

/** The folder of Math-Verify, and whether this call installed it. */
export interface Installation {
  readonly folder: string;
  readonly isNew: boolean;
}

/** Pure Python: any interpreter can download them, also one that could not run them. */
const target = ["--platform", "any", "--python-version", "3.14", "--implementation", "py"];
const pipOptions = ["--no-deps", ...target, "--abi", "none"];

const snapshotInThread = inThread<typeof snapshotOf>(
  new URL("./math-verify/snapshot.ts", import.meta.url),
  "snapshotOf",
  { threads: 1, timeout: 300_000, idleTimeout: 0 },
);

/**
 * Downloads Math-Verify and its dependencies through the user's pip or uv, checks their hashes, and stores a snapshot of Python
 * with them, so that each thread starts in half a second. Throws a `ConfigError` if neither pip nor uv can download.
 */
export async function installMathVerify(options: InstallOptions = {}): Promise<Installation> {
  const { onStep = () => {} } = options;
  const folder = cacheFolder();
  if (isInstalled()) return { folder, isNew: false };
  await mkdir(dirname(folder), { recursive: true });
  // Another process may install at the same time: the first to finish wins.
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    await pipDownload({ folder: unfinished, requirements, options: pipOptions, onStep });
    onStep("Starting Python once, and saving its memory");
    const snapshot = await snapshotInThread(unfinished);
    await writeFile(join(unfinished, snapshotFile), snapshot);
    await writeFile(join(unfinished, checksumFile), sha256(snapshot));
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } catch (error) {
    if (isInstalled()) return { folder, isNew: false };
    throw new ConfigError(`Math-Verify was not installed: ${messageOf(error)}`, [], {
      cause: error,
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return { folder, isNew: true };
}
