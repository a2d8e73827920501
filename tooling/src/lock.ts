import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Runs one process's `action` at a time. The lock of a process that was killed is free. */
export async function withLock(path: string, action: () => void | Promise<void>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  while (!tryLock(path)) await delay(100);
  try {
    await action();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  if (!isOwned(path)) rmSync(path, { force: true });
  return false;
}

function isOwned(path: string): boolean {
  try {
    // Empty while its owner writes it.
    const owner = readFileSync(path, "utf8");
    if (owner !== "") process.kill(Number(owner), 0);
    return true;
  } catch (error) {
    // The lock was released, or its owner belongs to another user.
    return ["ENOENT", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "");
  }
}
