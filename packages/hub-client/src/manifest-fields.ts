import * as z from "zod";

import { manifestLimits } from "./manifest-limits.ts";

/** A text of one line, without control characters, since terminals interpret them. */
export const line = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, "must be one line, without control characters");

/** A text of one or several lines, without other control characters. */
export const prose = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^(?:[^\p{Cc}]|[\n\t])*$/u, "must not have control characters");

export const packageName = z
  .string()
  .max(214)
  .regex(/^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/, "is not a package name");

export const version = z
  .string()
  .max(256)
  .regex(
    /^\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/,
    "is not a version, such as 1.2.3",
  );

/** A list whose entries have different keys. */
export function uniqueList<Entry, Schema extends z.ZodType<readonly Entry[]>>(
  list: Schema,
  keyOf: (entry: z.output<Schema>[number]) => unknown,
): Schema {
  return list.refine(
    (entries) => new Set(entries.map(keyOf)).size === entries.length,
    "has a duplicate entry",
  );
}

/** The JSON Schema of an object. It does not refer to other documents, so validators do not fetch any. */
export const jsonSchema = z
  .record(z.string().max(200), z.unknown())
  .refine(({ type }) => type === "object", { path: ["type"], error: "must be object" })
  .refine((schema) => !hasExternalReference(schema), "has a $ref to another document");

/** Terminates, since a parsed manifest is a tree of limited depth. */
function hasExternalReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([name, child]) =>
      (/^\$(?:dynamicR|r)ef$/.test(name) && typeof child === "string" && !child.startsWith("#")) ||
      hasExternalReference(child),
  );
}

const content = z.string().max(manifestLimits.messageLength);
const id = z.string().max(256);

const toolCall = z.strictObject({
  id,
  type: z.literal("function"),
  function: z.strictObject({ name: z.string().max(256), arguments: content }),
});

/** A message in the form of chat-completions servers. */
export const chatMessage = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content }),
  z.strictObject({ role: z.literal("user"), content }),
  z.strictObject({
    role: z.literal("assistant"),
    content,
    reasoning_content: content.optional(),
    tool_calls: z.array(toolCall).max(64).optional(),
  }),
  z.strictObject({ role: z.literal("tool"), tool_call_id: id, content }),
]);

/** One message of a conversation. */
export type ChatMessage = z.infer<typeof chatMessage>;
