import * as z from "zod";

import type { Json } from "../sandbox.ts";

const json: z.ZodType<Json> = z.json();

const reply = z.discriminatedUnion("type", [
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
    /** Whether the process cannot run again. */
    isBroken: z.boolean().optional(),
  }),
]);

/** The messages of a process that runs code. The host checks each: code that took over the process can send anything. */
export type Reply = z.output<typeof reply>;

/** A call of a function of the host. The process waits for `return` or `throw`. */
export type Call = Extract<Reply, { readonly type: "call" }>;

export type Result = Extract<Reply, { readonly type: "result" }>;

/** Reads a process's answer to a question. `undefined` for anything else: code may have taken it over. */
export function readReply(bytes: Uint8Array, id: string): Reply | undefined {
  const message = z.strictObject({ id: z.literal(id), reply });
  try {
    return message.parse(JSON.parse(new TextDecoder().decode(bytes))).reply;
  } catch {
    return undefined;
  }
}
