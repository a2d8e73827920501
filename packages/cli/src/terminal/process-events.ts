import { FailureError, reportError } from "./errors.ts";
import { watchInterrupts } from "./interrupt-watcher.ts";

/**
 * Lets a command continue after the reader of its output has closed the pipe, as `envs info | head -1` does: a run that is
 * in progress is still saved, and the command's own exit code stays, for scripts with `pipefail`.
 */
export function ignoreClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return;
      const failure = new FailureError(`Cannot write the output: ${error.message}`);
      process.exit(stream === process.stderr ? 1 : reportError(failure));
    });
}

/** Exits once the reader of stdout has closed the pipe: for commands that only print. */
export function exitOnClosedPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
  });
}

/**
 * Calls `onFirst` and aborts the signal at the first SIGINT or SIGTERM. A second signal ends the process; a second Ctrl-C also while code
 * of an author keeps the event loop busy.
 */
export function onInterrupt(onFirst: () => void): { signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController();
  const handle = (): void => {
    if (controller.signal.aborted) process.exit(1);
    onFirst();
    controller.abort(new Error("interrupted"));
  };
  process.on("SIGINT", handle).on("SIGTERM", handle);
  const watcher = watchInterrupts();
  return {
    signal: controller.signal,
    dispose() {
      watcher[Symbol.dispose]();
      process.off("SIGINT", handle).off("SIGTERM", handle);
    },
  };
}
