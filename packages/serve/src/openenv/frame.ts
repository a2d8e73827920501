import * as z from "zod";

import { excessOf } from "../json-bounds.ts";
import { quoted } from "../quoted.ts";
import { InvalidError, read } from "./invalid.ts";
import { resetData } from "./reset-query.ts";

const object = z.record(z.string(), z.unknown());

const frames = {
  reset: z.strictObject({ type: z.literal("reset"), data: resetData.default({}) }),
  step: z.strictObject({ type: z.literal("step"), data: object }),
  state: z.strictObject({ type: z.literal("state") }),
  mcp: z.strictObject({ type: z.literal("mcp"), data: object }),
  close: z.strictObject({ type: z.literal("close") }),
};

/** What a client may say over a socket. */
export type Frame = {
  [Type in keyof typeof frames]: z.output<(typeof frames)[Type]>;
}[keyof typeof frames];

/** A frame that is not JSON, or of a type that there is not. */
export class UnknownFrameError extends Error {
  readonly code: "INVALID_JSON" | "UNKNOWN_TYPE";

  constructor(code: UnknownFrameError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** Reads a frame. Throws an {@link UnknownFrameError} or an `InvalidError`. */
export function readFrame(text: string): Frame {
  const excess = excessOf(text);
  if (excess !== undefined) throw new InvalidError([{ type: "value_error", loc: [], msg: excess }]);
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    throw new UnknownFrameError("INVALID_JSON", "The frame is not JSON. Send an object as text.");
  }
  if (typeof frame !== "object" || frame === null || Array.isArray(frame))
    throw new InvalidError([{ type: "type_error", loc: [], msg: "A frame is an object." }]);
  const type = Object.hasOwn(frame, "type") ? (frame as { type: unknown }).type : undefined;
  if (isType(type)) {
    const schema: z.ZodType<Frame> = frames[type];
    return read(schema, frame);
  }
  throw new UnknownFrameError(
    "UNKNOWN_TYPE",
    `There is no frame of type ${quoted(type ?? null)}. There is: ${Object.keys(frames).join(", ")}.`,
  );
}

function isType(type: unknown): type is keyof typeof frames {
  return typeof type === "string" && Object.hasOwn(frames, type);
}
