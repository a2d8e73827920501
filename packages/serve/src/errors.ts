import { isRolloutError } from "@envs/core/engine";

/** The HTTP status of each error. Codes are permanent; errors.md explains them. */
export const serveErrors = {
  capacity: 429,
  "unknown-environment": 404,
  "unknown-split": 400,
  "unknown-task": 400,
  "unknown-seat": 400,
  "unknown-tool": 404,
  "invalid-action": 422,
  "no-episode": 409,
  closed: 410,
  draining: 503,
  timeout: 504,
  "unsupported-media": 422,
  lost: 500,
} as const;

/** Why the server cannot serve a request. */
type ServeErrorCode = keyof typeof serveErrors;

/** A request that cannot be served. The client receives the message. */
export class ServeError extends Error {
  override readonly name = "ServeError";
  readonly code: ServeErrorCode;

  constructor(code: ServeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The value of `Retry-After` while the server shuts down: its replacement needs a few seconds to start. */
export const retryAfterSeconds = 5;

/**
 * The message that a client receives for an error. Messages of an environment's own errors stay in the server's log,
 * because they may contain keys and paths of this machine.
 */
export function publicMessage(error: unknown): string {
  if (error instanceof ServeError) return error.message;
  const code = isRolloutError(error) ? error.code : "environment";
  return `The environment failed (${code}). See the log of the server for details.`;
}

/** A value as JSON for a message, cut to about 100 characters. */
export function quote(value: unknown): string {
  const json = JSON.stringify(typeof value === "string" ? truncate(value, 100) : value);
  return truncate(json, 110);
}

/** A text that a client sent, cut before the server sends it back. */
export function truncate(text: string, maxLength = 300): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
