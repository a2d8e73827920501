import { isRolloutError } from "@envs/core/engine";

/**
 * Why a trainer's request cannot be served. The code is permanent.
 *
 * - `capacity`: as many sessions as allowed are open.
 * - `unknown-environment`: none of this name is served.
 * - `unknown-split`, `unknown-task`: there is no such example.
 * - `unknown-tool`: the environment has no tool of this name.
 * - `invalid-action`: the action does not fit its schema.
 * - `no-episode`: an action before a reset.
 * - `closed`: the session was closed, or the server is closing.
 * - `lost`: the thread of an episode ended, and the episode with it.
 */
export type ServeErrorCode =
  | "capacity"
  | "unknown-environment"
  | "unknown-split"
  | "unknown-task"
  | "unknown-tool"
  | "invalid-action"
  | "no-episode"
  | "closed"
  | "lost";

/** A request that cannot be served; its message is for whoever asked. */
export class ServeError extends Error {
  override readonly name = "ServeError";
  readonly code: ServeErrorCode;

  constructor(code: ServeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What a stranger is told of an error. What an environment threw stays in the log: it may name files and keys of this machine. */
export function publicMessage(error: unknown): string {
  if (error instanceof ServeError) return error.message;
  const code = isRolloutError(error) ? error.code : "environment";
  return `The environment failed (${code}). The log of the server says more.`;
}
