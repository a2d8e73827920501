import { randomUUID } from "node:crypto";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { isAlive } from "@envs/records/node";

/** A file that only this process writes until it is complete. */
export interface PartialFile {
  readonly path: string;
  /** The bytes of an interrupted download that it already has. */
  readonly size: number;
  /** Leaves the bytes for the next attempt of any process. */
  release(): Promise<void>;
}

/** A download without a change for this time has been abandoned, if its process cannot be asked. */
const abandonedAfter = 120_000;

/**
 * Gets the partial file of `target`: continues one whose process has ended, and waits while another process downloads.
 * Returns `undefined` once `target` exists. Needs no lock: a rename succeeds for one process only.
 */
export async function claimPartialFile(target: string): Promise<PartialFile | undefined> {
  const mark = `${hostname()}-${process.pid}-${randomUUID()}`;
  const path = partOf(target, mark);
  for (;;) {
    if (await exists(target)) return undefined;
    const others = await partsOf(target);
    const abandoned = await Promise.all(others.map(isAbandoned));
    for (const [index, other] of others.entries()) {
      if (abandoned[index] !== true || !(await renamed(other, path))) continue;
      return { path, size: (await stat(path)).size, release: () => release(path, target) };
    }
    if (abandoned.includes(true)) continue;
    if (others.length === 0) {
      await (await open(path, "wx")).close();
      // If two processes started at once, the first by name continues.
      const [first] = (await partsOf(target)).toSorted();
      if (first === path) return { path, size: 0, release: () => release(path, target) };
      await rm(path, { force: true });
    }
    await sleep(100);
  }
}

const released = "released";

function partOf(target: string, mark: string): string {
  return `${target}.${mark}.part`;
}

async function partsOf(target: string): Promise<string[]> {
  const names = await readdir(dirname(target));
  const prefix = `${basename(target)}.`;
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(".part"))
    .map((name) => join(dirname(target), name));
}

async function release(path: string, target: string): Promise<void> {
  await renamed(path, partOf(target, released));
}

async function isAbandoned(part: string): Promise<boolean> {
  if (part.endsWith(`.${released}.part`)) return true;
  const [, host, pid] = /\.([^/\\]+)-(\d+)-[\da-f]{8}-[\da-f-]{27}\.part$/.exec(part) ?? [];
  if (host?.endsWith(hostname()) === true && !isAlive(Number(pid))) return true;
  const status = await stat(part).catch(() => undefined);
  return status !== undefined && status.mtimeMs < Date.now() - abandonedAfter;
}

async function renamed(from: string, to: string): Promise<boolean> {
  return await rename(from, to).then(
    () => true,
    () => false,
  );
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
