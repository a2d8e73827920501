import { ConfigError, RolloutError } from "@envs/core";
import { isConfigError, isRolloutError, messageOf } from "@envs/core/engine";

import { ServeError } from "../errors.ts";

/** An error as one process sends it to another: JSON would lose the error's class. */
export interface SerializedError {
  readonly kind: "config" | "rollout" | "serve" | "other";
  readonly message: string;
  readonly code?: string;
  /** The stack with those of all causes, for the log. */
  readonly stack: string;
}

export function serializeError(error: unknown): SerializedError {
  const text = { message: messageOf(error), stack: stackOf(error) };
  if (error instanceof ServeError) return { kind: "serve", code: error.code, ...text };
  if (isRolloutError(error)) return { kind: "rollout", code: error.code, ...text };
  return { kind: isConfigError(error) ? "config" : "other", ...text };
}

export function deserializeError({ kind, code, message, stack }: SerializedError): Error {
  const error = createError(kind, code, message);
  error.stack = stack;
  return error;
}

function createError(
  kind: SerializedError["kind"],
  code: string | undefined,
  message: string,
): Error {
  if (kind === "serve") return new ServeError(code as ServeError["code"], message);
  if (kind === "rollout") return new RolloutError(code as RolloutError["code"], message);
  // The message of a ConfigError already contains its issues.
  return kind === "config" ? new ConfigError(message) : new Error(message);
}

const maxCauses = 5;

function stackOf(error: unknown, causes = 0): string {
  if (!(error instanceof Error)) return messageOf(error);
  const stack = error.stack ?? error.message;
  if (error.cause === undefined || causes === maxCauses) return stack;
  return `${stack}\nCaused by: ${stackOf(error.cause, causes + 1)}`;
}
