import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { ConfigError } from "@envs/core";

import { createFolder } from "./create-folder.ts";
import { isAlive } from "./is-alive.ts";
import { WriteError } from "./write-error.ts";

/**
 * Makes this process the only writer of a run. Creates its folder if it does not exist, and replaces the lock of a dead
 * process. Returns a function that unlocks the run. Throws a `ConfigError` if another process writes to the run, and a
 * `WriteError` if this one cannot.
 */
export async function lockRun(path: string): Promise<() => Promise<void>> {
  await createFolder(path);
  const lock = join(path, "run.lock");
  const acquire = () =>
    writeFile(lock, String(process.pid), { flag: "wx" }).catch(async (error: unknown) => {
      // On a full disk, the file is created, but stays empty.
      if (!isCode(error, "EEXIST")) await rm(lock, { force: true });
      throw error;
    });
  try {
    await acquire();
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw notWritable(path, error);
    const owner = Number(await readFile(lock, "utf8").catch(() => "0"));
    if (isOther(owner) && isAlive(owner)) throw lockedBy(path, owner);
    await rm(lock, { force: true }).catch((failure: unknown) => {
      throw notWritable(path, failure);
    });
    await acquire().catch((again: unknown) => {
      if (!isCode(again, "EEXIST")) throw notWritable(path, again);
    });
    // Another process may have removed the same stale lock, or the one just written. After a moment, the file names the winner.
    await sleep(50);
    const winner = await readFile(lock, "utf8").catch(() => "");
    if (winner !== String(process.pid)) throw lockedBy(path, winner);
  }
  return () => rm(lock, { force: true });
}

function notWritable(path: string, error: unknown): WriteError {
  const advice = "Free space, or choose a folder that you can write to.";
  return new WriteError(`write to the folder ${path}`, error, advice);
}

function lockedBy(path: string, owner: string | number): ConfigError {
  return new ConfigError(
    `Process ${owner} is writing to ${path}. Wait for it or stop it, then resume the run.`,
  );
}

function isOther(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid !== process.pid;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
