import * as z from "zod";

import type { Json } from "../sandbox.ts";
import type { Reply } from "./messages.ts";

const json: z.ZodType<Json> = z.json();

const reply: z.ZodType<Reply> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("ready") }),
  z.strictObject({ type: z.literal("done") }),
  z.strictObject({ type: z.literal("failed"), message: z.string() }),
  z.strictObject({ type: z.literal("content"), content: z.base64() }),
  z.strictObject({ type: z.literal("call"), name: z.string(), args: z.array(json) }),
  z.strictObject({
    type: z.literal("result"),
    stdout: z.string(),
    stderr: z.string(),
    value: json.optional(),
    exitCode: z.int().min(0).max(255),
    timedOut: z.boolean(),
    outOfMemory: z.boolean(),
    truncated: z.boolean(),
    isBroken: z.boolean().optional(),
  }),
]);

/** Reads a process's answer to a question. `undefined` for anything else: code may have taken it over. */
export function readReply(bytes: Uint8Array, id: string): Reply | undefined {
  const message = z.strictObject({ id: z.literal(id), reply });
  try {
    return message.parse(JSON.parse(new TextDecoder().decode(bytes))).reply;
  } catch {
    return undefined;
  }
}
