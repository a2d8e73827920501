import * as z from "zod";

import type { Message } from "../../message.ts";
import type { Sampling, ToolSpec } from "../../model.ts";
import { HttpError } from "./http-error.ts";

const text = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal("text", "this server reads text only"), text: z.string() }))
    .transform((parts) => parts.map((part) => part.text).join("")),
]);

const toolCall = z.object({
  id: z.string(),
  type: z.literal("function").default("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: text }),
  z.object({ role: z.literal("developer"), content: text }),
  z.object({ role: z.literal("user"), content: text }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content: text }),
  z.object({
    role: z.literal("assistant"),
    content: text.nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
]);

const tool = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

/** What we read of a chat-completions request. Unknown fields are ignored, as other servers do. */
const chatRequest = z.object({
  model: z.string(),
  messages: z.array(message).min(1, "a conversation needs at least one message"),
  tools: z.array(tool).nullish(),
  tool_choice: z.literal(["auto", "none"], 'this server knows "auto" and "none" only').nullish(),
  n: z.literal(1, "this server gives one choice only").nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.int().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  logprobs: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
});

/** A chat-completions request in our own words. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[];
  readonly sampling: Sampling;
  readonly seed?: number;
  readonly isStream: boolean;
  /** A stream tells its usage only if asked. */
  readonly wantsUsage: boolean;
  readonly wantsLogprobs: boolean;
  readonly wantsTokenIds: boolean;
}

/** Reads the body of a chat-completions request. Throws an `HttpError` 400 that says what is wrong with it. */
export function readChatRequest(body: string): ChatRequest {
  const parsed = chatRequest.safeParse(parse(body));
  if (!parsed.success) throw refused(parsed.error);
  const { tools, tool_choice: choice, stop, seed, ...rest } = parsed.data;
  const maxTokens = rest.max_completion_tokens ?? rest.max_tokens;
  const stops = typeof stop === "string" ? [stop] : stop;
  return {
    model: rest.model,
    messages: rest.messages.map(readMessage),
    ...(tools && tools.length > 0 && choice !== "none" ? { tools: tools.map(readTool) } : {}),
    sampling: {
      ...(isSet(rest.temperature) ? { temperature: rest.temperature } : {}),
      ...(isSet(rest.top_p) ? { topP: rest.top_p } : {}),
      ...(isSet(maxTokens) ? { maxTokens } : {}),
      ...(stops ? { stop: stops } : {}),
    },
    ...(isSet(seed) ? { seed } : {}),
    isStream: rest.stream === true,
    wantsUsage: rest.stream !== true || rest.stream_options?.include_usage === true,
    wantsLogprobs: rest.logprobs === true,
    wantsTokenIds: rest.return_token_ids === true,
  };
}

function isSet<Value>(value: Value): value is NonNullable<Value> {
  return value !== undefined && value !== null;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new HttpError(400, "The request's body is not JSON.", { cause: error });
  }
}

function readMessage(sent: z.output<typeof message>): Message {
  if (sent.role === "developer") return { role: "system", content: sent.content };
  if (sent.role !== "assistant") return sent;
  const { content, reasoning_content: reasoning, tool_calls: calls } = sent;
  return {
    role: "assistant",
    content: content ?? "",
    ...(reasoning ? { reasoning_content: reasoning } : {}),
    ...(calls && calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

function readTool({
  function: { name, description, parameters },
}: z.output<typeof tool>): ToolSpec {
  return { name, description: description ?? "", parameters: parameters ?? { type: "object" } };
}

function refused({ issues }: z.ZodError): HttpError {
  const fields = issues.map(({ path, message: said }) => `${path.join(".") || "body"}: ${said}`);
  const field = issues[0]?.path.join(".");
  return new HttpError(
    400,
    `The request is not valid. ${fields.join("; ")}`,
    field ? { field } : {},
  );
}
