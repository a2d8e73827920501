import * as z from "zod";

import { publicMessage, quote, ServeError } from "../errors.ts";
import { jsonLimitProblem } from "../http/json-limits.ts";
import { resetBody } from "../sessions/reset-query.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { parse, ValidationError } from "./validation.ts";

const object = z.record(z.string(), z.unknown());

const frames = {
  reset: z.strictObject({ type: z.literal("reset"), data: resetBody.default({}) }),
  step: z.strictObject({ type: z.literal("step"), data: object }),
  state: z.strictObject({ type: z.literal("state") }),
  /** Not in OpenEnv: the legal replies and the board, for the page on which a person plays. */
  position: z.strictObject({ type: z.literal("position") }),
  mcp: z.strictObject({ type: z.literal("mcp"), data: object }),
  close: z.strictObject({ type: z.literal("close") }),
};

/** A message of a client over a socket. */
export type Frame = {
  [Type in keyof typeof frames]: z.output<(typeof frames)[Type]>;
}[keyof typeof frames];

/** A frame that is not JSON, or has an unknown type. */
export class FrameError extends Error {
  override readonly name = "FrameError";
  readonly code: "INVALID_JSON" | "UNKNOWN_TYPE";

  constructor(code: FrameError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Throws a {@link FrameError} or a `ValidationError`. */
export function readFrame(text: string): Frame {
  const problem = jsonLimitProblem(text);
  if (problem !== undefined)
    throw new ValidationError([{ type: "value_error", loc: [], msg: problem }]);
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    throw new FrameError(
      "INVALID_JSON",
      "The frame is not valid JSON. Send a JSON object as text.",
    );
  }
  if (typeof frame !== "object" || frame === null || Array.isArray(frame))
    throw new ValidationError([
      { type: "type_error", loc: [], msg: "The frame is not a JSON object." },
    ]);
  const type = Object.hasOwn(frame, "type") ? (frame as { type: unknown }).type : undefined;
  if (isFrameType(type)) {
    const schema: z.ZodType<Frame> = frames[type];
    return parse(schema, frame);
  }
  throw new FrameError(
    "UNKNOWN_TYPE",
    `Unknown frame type ${quote(type ?? null)}. Use one of: ${Object.keys(frames).join(", ")}.`,
  );
}

function isFrameType(type: unknown): type is keyof typeof frames {
  return typeof type === "string" && Object.hasOwn(frames, type);
}

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
  if (error.code === "draining") return { message, code: "CAPACITY_REACHED" };
  if (error.code === "capacity")
    return {
      message,
      code: "CAPACITY_REACHED",
      active_sessions: count,
      max_sessions: limits.maxSessions,
    };
  if (error.code === "timeout" && isReset)
    return { message, code: "FACTORY_ERROR", factory_name: environmentName };
  return { message, code: "EXECUTION_ERROR" };
}
