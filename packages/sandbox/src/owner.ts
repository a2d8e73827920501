import { hostname } from "node:os";

import { isAlive } from "@envs/records/node";

/** Marks a container or a machine as ours, with the computer and the process that it belongs to. */
export const ownerLabel = "envs.sandbox.owner";

export function ownerOf(pid: number): string {
  return `${hostname()}:${pid}`;
}

/** Whether an owner is a process of this computer that has ended. False for processes of other computers. */
export function hasEnded(owner: string): boolean {
  const pid = Number(owner.slice(owner.lastIndexOf(":") + 1));
  return owner === ownerOf(pid) && !isAlive(pid);
}
