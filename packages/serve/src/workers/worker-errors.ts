import { ServeError } from "../errors.ts";

/** Rejects a call that its worker did not begin. Another worker can run it. */
export const notBegun = new Error("The worker has not begun the call.");

/** Rejects a call that waited when its worker was blocked or ended. Its own code may be the reason, so only one more worker runs it. */
export const interrupted = new ServeError(
  "lost",
  "The process of this episode stopped before the episode had begun. Reset the session, or open another.",
);

/** The error of an episode whose process ended. */
export function lostEpisode(cause?: Error): ServeError {
  return new ServeError(
    "lost",
    "The process of this episode ended, and the episode with it. Reset the session, or open another.",
    { cause },
  );
}

/** Returns an error that names how a process ended. */
export function exitError(
  pid: number | undefined,
  code: number | null,
  signal: NodeJS.Signals | null,
): Error {
  const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  return new Error(`The process ${pid} ${how}.`);
}
