import { publicMessage, ServeError } from "../failure.ts";
import type { Sessions } from "../sessions.ts";
import { InvalidError } from "./invalid.ts";

/** What an error frame holds. The code is permanent. */
export interface ErrorData {
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

/** After these the server closes the socket: there is no session to go on with. */
const last: ReadonlySet<ErrorData["code"]> = new Set([
  "CAPACITY_REACHED",
  "FACTORY_ERROR",
  "SESSION_ERROR",
]);

/** Whether the socket is closed after an error. */
export function isLast({ code }: ErrorData): boolean {
  return last.has(code);
}

/** Where an error came from. */
export interface ErrorSource {
  /** The environment's. */
  readonly name: string;
  readonly sessions: Sessions;
  /** Whether a reset threw it. */
  readonly isReset?: boolean;
}

/** What is told of an error that serving a frame threw. */
export function errorData(
  error: unknown,
  { name, sessions: { count, limits }, isReset = false }: ErrorSource,
): ErrorData {
  if (error instanceof InvalidError)
    return { message: error.message, code: "VALIDATION_ERROR", errors: error.parts };
  const message = publicMessage(error);
  if (!(error instanceof ServeError)) return { message, code: "EXECUTION_ERROR" };
  if (error.code === "closed") return { message, code: "SESSION_ERROR" };
  if (error.code === "capacity")
    return {
      message,
      code: "CAPACITY_REACHED",
      active_sessions: count,
      max_sessions: limits.most,
    };
  // The thread in which the environment lives ended while the episode began.
  if (error.code === "lost" && isReset)
    return { message, code: "FACTORY_ERROR", factory_name: name };
  return { message, code: "EXECUTION_ERROR" };
}
