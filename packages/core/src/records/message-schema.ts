import * as z from "zod";

import type { Message } from "../message.ts";
import type { ToolSpec } from "../model.ts";
import { readMessage } from "./read-message.ts";

/** The schema of a message of a row. */
export const message: z.ZodType<Message> = z
  .custom<Message>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      "role" in value &&
      ("content" in value || "tool_calls" in value),
    "not a chat message",
  )
  .transform(readMessage);

/** The schema of the tools that a model could call. */
export const toolSpecs: z.ZodType<readonly ToolSpec[]> = z.array(
  z.object({
    name: z.string(),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()),
  }),
);
