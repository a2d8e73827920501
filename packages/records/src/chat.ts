import { type Message, type Rollout, textOf } from "@envs/core";
import { mediaParts, type ToolSpec } from "@envs/core/engine";
import * as z from "zod";

import { readMessage } from "./read-message.ts";

/** A conversation for supervised training. */
export interface Chat {
  readonly messages: readonly Message[];
}

/** One line of chat JSONL for trainers and fine-tuning services. The fields after `tools` name its origin. */
export interface ChatRow extends Chat {
  /** The environment's tools, in the format of chat completions. */
  readonly tools?:
    | readonly { readonly type: "function"; readonly function: ToolSpec }[]
    | undefined;
  readonly environment?: string | undefined;
  readonly model?: string | undefined;
  readonly example_key?: string | undefined;
  readonly rollout_index?: number | undefined;
  readonly reward?: number | undefined;
}

/** Converts a rollout to a row of chat JSONL. Its own tools replace `tools`. */
export function toChat(
  rollout: Rollout,
  {
    tools: commonTools = [],
    model,
  }: {
    readonly tools?: readonly ToolSpec[] | undefined;
    readonly model?: string | undefined;
  } = {},
): ChatRow {
  const { environment, exampleKey, rolloutIndex, toolSpecs: tools = commonTools } = rollout;
  return {
    messages: [...rollout.prompt, ...rollout.completion].map(withText),
    tools:
      tools.length === 0
        ? undefined
        : tools.map((tool) => ({ type: "function" as const, function: tool })),
    environment,
    model,
    example_key: exampleKey,
    rollout_index: rolloutIndex,
    reward: rollout.status === "scored" ? rollout.reward : undefined,
  };
}

/** Text parts without media become one text, because many chat templates accept no parts. */
function withText(message: Message): Message {
  const { content } = message;
  if (typeof content === "string" || mediaParts(content).length > 0) return message;
  return { ...message, content: textOf(content) };
}

const message = z
  .looseObject({ role: z.enum(["system", "user", "assistant", "tool"]) })
  .refine(
    ({ content, tool_calls: calls }) => (content ?? calls ?? undefined) !== undefined,
    "It has neither content nor tool calls.",
  )
  .transform((stored) => readMessage(stored, "user"));

const messages = z
  .array(message, {
    error: ({ input }) =>
      input === undefined ? 'It has neither "messages" nor "prompt" and "completion".' : undefined,
  })
  .refine(
    (all) => all.some(({ role }) => role === "assistant"),
    "It has no assistant message to train on.",
  );

/** Parses a line of chat JSONL or of `results.jsonl`. A failed rollout is `undefined`. */
export const chatLine: z.ZodType<Chat | undefined> = z.preprocess(
  asChat,
  z.object({ messages }).optional(),
);

/** Joins the prompt and the completion of a rollout. Either may be text. */
function asChat(line: unknown): unknown {
  if (typeof line !== "object" || line === null || "messages" in line) return line;
  const { prompt, completion, error } = line as Readonly<Record<string, unknown>>;
  if (prompt === undefined) return line;
  if (error !== undefined && error !== null) return undefined;
  return { messages: [toMessages("user", prompt), toMessages("assistant", completion)].flat() };
}

function toMessages(role: "user" | "assistant", content: unknown): unknown {
  return typeof content === "string" ? { role, content } : (content ?? []);
}
