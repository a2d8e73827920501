import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigError } from "../errors.ts";

/** Makes this process the only writer of a run. Returns what gives that up. A lock of a dead process is taken over. */
export async function lockRun(path: string): Promise<() => Promise<void>> {
  const lock = join(path, "run.lock");
  const take = () => writeFile(lock, String(process.pid), { flag: "wx" });
  try {
    await take();
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    const owner = Number(await readFile(lock, "utf8").catch(() => "0"));
    if (isAlive(owner))
      throw new ConfigError(
        `Process ${owner} is writing to ${path}. Wait for it or stop it, then resume the run.`,
      );
    await rm(lock, { force: true });
    await take();
  }
  return () => rm(lock, { force: true });
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
