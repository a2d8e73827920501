import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";

/**
 * Reads `+ pid` and `- pid` from its input. At the end of the input, that is when this process has ended in any way, it
 * terminates the process groups that are left.
 */
const script = `
pids=""
while read -r change pid; do
  rest=""
  for each in $pids; do [ "$each" = "$pid" ] || rest="$rest $each"; done
  pids="$rest"
  [ "$change" = "+" ] && pids="$pids $pid"
done
[ -z "$pids" ] && exit
for each in $pids; do kill -TERM "-$each"; done
sleep 1
for each in $pids; do kill -KILL "-$each"; done`;

const groups = new Set<number>();
let reaper: ChildProcess | undefined;

/**
 * Ensures that a process group ends with this process, also if this process is killed. A shell watches all groups, because a
 * killed process cannot clean up, and because a server may ignore the end of its input. On Windows, nothing watches.
 */
export function watchGroup(pid: number): void {
  if (process.platform === "win32") return;
  groups.add(pid);
  if (reaper === undefined) startReaper();
  else reaper.stdin?.write(`+ ${pid}\n`);
}

/** Forgets a process group that has ended: its id may be used again. */
export function unwatchGroup(pid: number): void {
  if (groups.delete(pid)) reaper?.stdin?.write(`- ${pid}\n`);
}

function startReaper(): void {
  const child = spawn("/bin/sh", ["-c", script], {
    stdio: ["pipe", "ignore", "ignore"],
    env: {},
    // Ctrl-C in a terminal reaches this process's group, and must not end the reaper.
    detached: true,
  });
  const onEnd = (): void => {
    if (reaper === child) reaper = undefined;
  };
  child.on("error", onEnd).on("exit", onEnd);
  child.stdin.on("error", onEnd);
  child.unref();
  (child.stdin as Socket).unref();
  for (const pid of groups) child.stdin.write(`+ ${pid}\n`);
  reaper = child;
}
