import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { messageOf } from "@envs/core/engine";

import type { ObservationTask, Observed } from "./task.ts";
import { variables } from "./vary.ts";

const isSource = import.meta.url.endsWith(".ts");

/** Starts the process of a module beside the caller: `.ts` in sources, `.js` once built. */
export function entry(path: string, base: string): string {
  return fileURLToPath(new URL(isSource ? path : path.replace(/\.ts$/, ".js"), base));
}

/** Runs a task in a separate process, whose timezone, locale, clock or processors differ. */
export async function observeElsewhere(
  task: ObservationTask,
  signal: AbortSignal,
): Promise<Observed> {
  const child = fork(entry("./observe-entry.ts", import.meta.url), {
    env: { ...process.env, ...variables[task.variation] },
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    signal,
    killSignal: "SIGKILL",
  });
  const ended = new AbortController();
  child.once("exit", () => ended.abort());
  child.once("error", () => ended.abort());
  try {
    child.send(task, () => undefined);
    const [message] = (await once(child, "message", { signal: ended.signal })) as [
      Observed | { readonly problem: string },
    ];
    if ("problem" in message) throw new Error(message.problem);
    return message;
  } catch (error) {
    signal.throwIfAborted();
    throw ended.signal.aborted
      ? new Error(`the process ended with the code ${child.exitCode ?? child.signalCode}`, {
          cause: error,
        })
      : new Error(messageOf(error), { cause: error });
  } finally {
    child.kill("SIGKILL");
  }
}
