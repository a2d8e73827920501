import { publicMessage, ServeError } from "../errors.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { ValidationError } from "./validation.ts";

/** The data of an error frame. The code is permanent. */
export interface ErrorFrameData {
  readonly message: string;
  readonly code:
    | "INVALID_JSON"
    | "UNKNOWN_TYPE"
    | "VALIDATION_ERROR"
    | "EXECUTION_ERROR"
    | "CAPACITY_REACHED"
    | "FACTORY_ERROR"
    | "SESSION_ERROR";
  readonly [extra: string]: unknown;
}

const closingCodes: ReadonlySet<ErrorFrameData["code"]> = new Set([
  "CAPACITY_REACHED",
  "FACTORY_ERROR",
  "SESSION_ERROR",
]);

/** Whether the server closes the socket after an error, because its session is unusable. */
export function closesSocket({ code }: ErrorFrameData): boolean {
  return closingCodes.has(code);
}

/** Where an error occurred. */
export interface ErrorSource {
  readonly environmentName: string;
  readonly sessions: Sessions;
  /** Whether a reset failed. Default false. */
  readonly isReset?: boolean;
}

export function errorFrameData(
  error: unknown,
  { environmentName, sessions: { count, limits }, isReset = false }: ErrorSource,
): ErrorFrameData {
  if (error instanceof ValidationError)
    return { message: error.message, code: "VALIDATION_ERROR", errors: error.issues };
  const message = publicMessage(error);
  if (!(error instanceof ServeError)) return { message, code: "EXECUTION_ERROR" };
  if (error.code === "closed") return { message, code: "SESSION_ERROR" };
  if (error.code === "capacity")
    return {
      message,
      code: "CAPACITY_REACHED",
      active_sessions: count,
      max_sessions: limits.maxSessions,
    };
  // The environment's thread ended while the episode started.
  if (error.code === "lost" && isReset)
    return { message, code: "FACTORY_ERROR", factory_name: environmentName };
  return { message, code: "EXECUTION_ERROR" };
}
