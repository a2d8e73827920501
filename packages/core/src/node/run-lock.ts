import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { ConfigError } from "../errors.ts";

/** Makes this process the only writer of a run. Returns a function that unlocks the run. Replaces the lock of a dead process. */
export async function lockRun(path: string): Promise<() => Promise<void>> {
  const lock = join(path, "run.lock");
  const acquire = () => writeFile(lock, String(process.pid), { flag: "wx" });
  try {
    await acquire();
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    const owner = Number(await readFile(lock, "utf8").catch(() => "0"));
    if (isAlive(owner)) throw lockedBy(path, owner);
    await rm(lock, { force: true });
    await acquire().catch(() => {});
    // Another process may have removed the same stale lock, or the one just written. After a moment, the file names the winner.
    await sleep(50);
    const winner = await readFile(lock, "utf8").catch(() => "");
    if (winner !== String(process.pid)) throw lockedBy(path, winner);
  }
  return () => rm(lock, { force: true });
}

function lockedBy(path: string, owner: string | number): ConfigError {
  return new ConfigError(
    `Process ${owner} is writing to ${path}. Wait for it or stop it, then resume the run.`,
  );
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, "EPERM");
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
