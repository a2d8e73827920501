import { existsSync, readdirSync, readFileSync } from "node:fs";

import { marker } from "../bubblewrap/spawn.ts";

/** A process of a sandbox on this machine. */
export interface SandboxProcess {
  readonly pid: number;
  /** The name of its provider. */
  readonly name: string;
  /** The process that created it. */
  readonly host: number;
  /** Whether that process has ended, and this one has not. */
  readonly isStray: boolean;
  /** The memory that it and its children use, in bytes. */
  readonly memory: number;
}

/** The processes of all sandboxes that this user may see. Empty on systems without `/proc`. */
export function sandboxProcesses(): readonly SandboxProcess[] {
  if (!existsSync("/proc/self/stat")) return [];
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)) ?? []);
  const alive = new Set(all.map(({ pid }) => pid));
  return all.flatMap(({ pid, parent, command }) => {
    const owner = ownerOf(command, parent);
    // Skips the second process of bubblewrap, which has the same command line.
    if (owner === undefined || ownerOf(commandOf(all, parent), 0)?.host === owner.host) return [];
    const isStray = !alive.has(owner.host);
    return [{ pid, ...owner, isStray, memory: memoryOf(pid, all) }];
  });
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly memory: number;
}

const pageSize = 4096;

function processOf(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return { pid, parent: Number(fields[1]), command, memory: Number(fields[21]) * pageSize };
  } catch {
    // The process ended meanwhile.
    return undefined;
  }
}

function ownerOf(
  command: string,
  parent: number,
): Pick<SandboxProcess, "name" | "host"> | undefined {
  const [, name, host] = new RegExp(`\\0${marker}\\0([\\w-]+):(\\d+)\\0`).exec(command) ?? [];
  if (name !== undefined) return { name, host: Number(host) };
  // Processes without bubblewrap run a module of this package.
  const [, folder] =
    /\0[^\0]*\/sandbox\/(?:src|dist)\/(\w+)\/child\.[jt]s(?:\0|$)/.exec(command) ?? [];
  return folder === undefined ? undefined : { name: folder, host: parent };
}

function commandOf(all: readonly Process[], pid: number): string {
  return all.find((process) => process.pid === pid)?.command ?? "";
}

function memoryOf(pid: number, all: readonly Process[]): number {
  const own = all.find((process) => process.pid === pid)?.memory ?? 0;
  const children = all.filter(({ parent }) => parent === pid);
  return children.reduce((sum, child) => sum + memoryOf(child.pid, all), own);
}
