import * as z from "zod";

import { manifestLimits } from "./bounds.ts";

const content = z.string().max(manifestLimits.messageLength);
const id = z.string().max(256);

const toolCall = z.strictObject({
  id,
  type: z.literal("function"),
  function: z.strictObject({ name: z.string().max(256), arguments: content }),
});

/** One message of a conversation, in the shape that chat-completions servers speak. */
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
