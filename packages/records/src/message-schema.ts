import type { Message } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";
import * as z from "zod";

import { readMessage, readSentMessage } from "./read-message.ts";

const stored = z.custom<Message>(
  (value) =>
    typeof value === "object" &&
    value !== null &&
    "role" in value &&
    ("content" in value || "tool_calls" in value),
  "not a chat message",
);

/** The schema of a message of a row. */
export const message: z.ZodType<Message> = stored.transform(readMessage);

/** The schema of a message that an agent or an environment has sent to a model. */
export const sentMessage: z.ZodType<Message> = stored.transform(readSentMessage);

/** The schema of the tools that a model could call. */
export const toolSpecs: z.ZodType<readonly ToolSpec[]> = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
);
