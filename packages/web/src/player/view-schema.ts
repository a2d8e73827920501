import type { AssistantMessage } from "@envs/core";
import type { EpisodeView, StartedEpisode } from "@envs/records/bundle";
import * as z from "zod/mini";

import { PlayError } from "./session.ts";

const text = z.string().check(z.maxLength(1_000_000));
const shortText = z.string().check(z.maxLength(2000));
const number = z.number();

const toolCall = z.object({
  id: shortText,
  type: z.literal("function"),
  function: z.object({ name: shortText, arguments: text }),
});

const assistantMessage = z.object({
  role: z.literal("assistant"),
  content: text,
  reasoning_content: z.optional(text),
  tool_calls: z.optional(z.array(toolCall)),
});

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: text }),
  z.object({ role: z.literal("user"), content: text }),
  assistantMessage,
  z.object({ role: z.literal("tool"), tool_call_id: shortText, content: text }),
]);

const cell = z.object({
  text: shortText,
  label: shortText,
  reply: z.optional(text),
  isHighlighted: z.optional(z.boolean()),
});

const viewFields = {
  messages: z.array(message).check(z.maxLength(10_000)),
  isDone: z.boolean(),
  stopReason: z.optional(shortText),
  isInvalid: z.optional(z.boolean()),
  scores: z.optional(
    z.object({
      reward: number,
      scores: z.record(shortText, z.nullable(number)),
      unjudged: z.optional(z.record(shortText, number)),
    }),
  ),
  choices: z.optional(z.array(z.object({ reply: text, label: text })).check(z.maxLength(10_000))),
  board: z.optional(
    z.object({
      label: shortText,
      rows: z.array(z.array(cell).check(z.maxLength(64))).check(z.maxLength(64)),
    }),
  ),
  seat: z.optional(shortText),
};

const view = z.object(viewFields);

const started = z.object({
  ...viewFields,
  episode: number,
  index: number,
  key: shortText,
  tools: z.array(
    z.object({
      name: shortText,
      description: text,
      parameters: z.record(z.string(), z.unknown()),
    }),
  ),
  maxTurns: z.nullable(number),
});

/** Checks the response of published code. */
export function readView(value: unknown): EpisodeView {
  return read(view, value) as EpisodeView;
}

export function readStarted(value: unknown): StartedEpisode {
  return read(started, value) as unknown as StartedEpisode;
}

export function readReply(value: unknown): AssistantMessage {
  return read(assistantMessage, value) as AssistantMessage;
}

function read<Value>(schema: z.ZodMiniType<Value>, value: unknown): Value {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const place = issue?.path.join(".") ?? "";
  throw new PlayError(
    `The environment returned data that is not valid${place === "" ? "" : ` at ${place}`}: ${issue?.message ?? "unknown"}.`,
  );
}
