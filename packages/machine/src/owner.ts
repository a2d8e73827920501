import { readFileSync } from "node:fs";
import { hostname } from "node:os";

import { isAlive } from "@envs/records/node";

/** Marks a container, a network or a folder as ours, with the process that it belongs to. */
export const ownerLabel = "envs.machine.owner";
export const runLabel = "envs.machine.run";
/** Marks the way out of a machine, which uses its network. */
export const insideLabel = "envs.machine.inside";

/** The computer, the process, and when that started: another process may get its number later. */
function ownerOf(pid: number): string {
  return `${hostname()}:${pid}:${startOf(pid)}`;
}

/** Whether an owner is a process of this computer that has ended. False for processes of other computers. */
export function hasEnded(owner: string): boolean {
  const [host, pid, start] = owner.split(":");
  if (host !== hostname() || pid === undefined) return false;
  return !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
}

/** The labels of everything that a process of this computer creates. */
export function labelsOf(run: string | undefined): Readonly<Record<string, string>> {
  return { [ownerLabel]: ownerOf(process.pid), [runLabel]: run ?? "" };
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may contain anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    // There is no /proc, or the process has ended.
    return "";
  }
}
