import * as z from "zod";

import type { Message } from "../message.ts";
import type { ToolSpec } from "../model.ts";
import type { Rollout } from "../rollout-record.ts";
import { readMessage } from "./read-message.ts";

/** A conversation to learn from. */
export interface Chat {
  readonly messages: readonly Message[];
}

/** One line of chat JSONL, as trainers and fine-tuning services read it; the rest says where it comes from. */
export interface ChatRow extends Chat {
  /** The tools that the model was told of, in wire form. */
  readonly tools?: readonly { readonly type: "function"; readonly function: ToolSpec }[];
  readonly environment?: string;
  readonly model?: string;
  readonly example_key?: string;
  readonly rollout_index?: number;
  readonly reward?: number;
}

/** Writes a rollout as a line of chat JSONL. `tools` are those of its environment. */
export function toChat(
  rollout: Rollout,
  { tools = [], model }: { readonly tools?: readonly ToolSpec[]; readonly model?: string } = {},
): ChatRow {
  const { environment, exampleKey, rolloutIndex } = rollout;
  return {
    messages: [...rollout.prompt, ...rollout.completion],
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: "function" as const, function: tool })) }),
    environment,
    ...(model === undefined ? {} : { model }),
    example_key: exampleKey,
    rollout_index: rolloutIndex,
    ...(rollout.status === "scored" ? { reward: rollout.reward } : {}),
  };
}

const message = z
  .looseObject({ role: z.enum(["system", "user", "assistant", "tool"]) })
  .refine(
    ({ content, tool_calls: calls }) => (content ?? calls ?? undefined) !== undefined,
    "It has neither content nor tool calls.",
  )
  .transform((stored) => readMessage(stored as unknown as Message));

const messages = z
  .array(message, {
    error: ({ input }) =>
      input === undefined ? 'It has neither "messages" nor "prompt" and "completion".' : undefined,
  })
  .refine(
    (all) => all.some(({ role }) => role === "assistant"),
    "No message is the assistant's: there is nothing to learn.",
  );

/** A line of chat JSONL or of `results.jsonl`; `undefined` for a rollout that failed. */
export const chatLine: z.ZodType<Chat | undefined> = z.preprocess(
  asChat,
  z.object({ messages }).optional(),
);

/** Joins the prompt and the completion of a rollout; either may be text. */
function asChat(line: unknown): unknown {
  if (typeof line !== "object" || line === null || "messages" in line) return line;
  const { prompt, completion, error } = line as Readonly<Record<string, unknown>>;
  if (prompt === undefined) return line;
  if (error !== undefined && error !== null) return undefined;
  return { messages: [said("user", prompt), said("assistant", completion)].flat() };
}

function said(role: "user" | "assistant", content: unknown): unknown {
  return typeof content === "string" ? { role, content } : (content ?? []);
}
