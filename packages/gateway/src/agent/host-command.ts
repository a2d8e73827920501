import { spawn } from "node:child_process";
import { Readable } from "node:stream";

import { unwatchGroup, watchGroup } from "@envs/records/node";

import type { CommandEnd, CommandSettings } from "./program-site.ts";

/** Runs a command of this computer, and kills what it has started when it ends or the signal is aborted. */
export function hostCommand(
  [command = "", ...args]: readonly string[],
  { env, cwd, stdin, onOutput, signal }: CommandSettings,
): Promise<CommandEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<CommandEnd>();
  signal.throwIfAborted();
  const child = spawn(command, args, { cwd, env: { ...env }, stdio: "pipe", detached: true });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // Every process of the group has ended.
    }
  };
  const end = (): void => {
    signal.removeEventListener("abort", end);
    kill();
    if (child.pid !== undefined) unwatchGroup(child.pid);
  };
  signal.addEventListener("abort", end, { once: true });
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].on("data", (data: Buffer) => onOutput(stream, data));
  // A command may end before it has read its input.
  child.stdin.on("error", () => undefined);
  if (stdin instanceof Readable) stdin.pipe(child.stdin);
  else child.stdin.end(stdin);
  child.on("spawn", () => watchGroup(child.pid!));
  child.on("error", (error) => {
    end();
    reject(error);
  });
  // A process that the command has left may hold its output open.
  child.on("exit", () => end());
  child.on("close", (code) => {
    if (signal.aborted) reject(signal.reason as Error);
    else resolve({ exitCode: code ?? 137, timedOut: false });
  });
  return promise;
}
