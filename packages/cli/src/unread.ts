import { FailureError, report } from "./exit.ts";

/**
 * Has a command go on when nobody reads what it prints any more, as in `envs list | head -1`: that is no failure, and a run
 * that is under way is still saved. It ends with its own exit code, so that scripts with `pipefail` go on, too.
 */
export function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return;
      const told = new FailureError(`What is printed cannot be written: ${error.message}`);
      process.exit(stream === process.stderr ? 1 : report(told));
    });
}

/** Ends the process as soon as nobody reads what it prints any more: for commands that do nothing else. */
export function endUnread(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
  });
}
