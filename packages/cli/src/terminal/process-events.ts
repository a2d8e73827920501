import { FailureError, reportError } from "./errors.ts";
import { watchInterrupts } from "./interrupt-thread.ts";

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

let wasInterrupted = false;

/**
 * Calls `onFirst` and aborts the signal at the first SIGINT or SIGTERM. A second signal ends the process; a second Ctrl-C also while
 * code of an author keeps this thread.
 */
export function onInterrupt(onFirst: () => void): { signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController();
  const signalCount = new Int32Array(new SharedArrayBuffer(4));
  const handle = (): void => {
    if (controller.signal.aborted) process.exit(1);
    wasInterrupted = true;
    onFirst();
    controller.abort(new FailureError("Interrupted."));
  };
  const receive = (): void => {
    Atomics.add(signalCount, 0, 1);
    handle();
  };
  process.on("SIGINT", receive).on("SIGTERM", receive);
  const thread = watchInterrupts(signalCount, handle);
  return {
    signal: controller.signal,
    dispose() {
      thread[Symbol.dispose]();
      process.off("SIGINT", receive).off("SIGTERM", receive);
    },
  };
}

/** Ends an interrupted process within a second: code of an author that ignores the signal may keep it alive. */
export function exitAfterInterrupt(): void {
  if (wasInterrupted) setTimeout(() => process.exit(), 1000).unref();
}
