import { ConfigError, RolloutError } from "@envs/core";
import { isConfigError, isRolloutError } from "@envs/core/engine";

import { ServeError } from "../failure.ts";

/** An error as it crosses the border of a thread: a copy of an error would have lost its class. */
export interface Thrown {
  readonly kind: "config" | "rollout" | "serve" | "other";
  readonly message: string;
  readonly code?: string;
  /** Where it was thrown, with its causes: for the log. */
  readonly trace: string;
}

/** What is sent of an error. */
export function thrown(error: unknown): Thrown {
  const said = { message: messageOf(error), trace: traceOf(error) };
  if (error instanceof ServeError) return { kind: "serve", code: error.code, ...said };
  if (isRolloutError(error)) return { kind: "rollout", code: error.code, ...said };
  return { kind: isConfigError(error) ? "config" : "other", ...said };
}

/** The error that was sent. */
export function received({ kind, code, message, trace }: Thrown): Error {
  const error = made(kind, code, message);
  error.stack = trace;
  return error;
}

function made(kind: Thrown["kind"], code: string | undefined, message: string): Error {
  if (kind === "serve") return new ServeError(code as ServeError["code"], message);
  if (kind === "rollout") return new RolloutError(code as RolloutError["code"], message);
  // The message of a ConfigError tells its issues already.
  return kind === "config" ? new ConfigError(message) : new Error(message);
}

/** What an error says; also when something other than an `Error` was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

const deepest = 5;

function traceOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return messageOf(error);
  const own = error.stack ?? error.message;
  if (error.cause === undefined || depth === deepest) return own;
  return `${own}\nCaused by: ${traceOf(error.cause, depth + 1)}`;
}
