import { isAscii } from "node:buffer";
import type { IncomingMessage } from "node:http";

import { type Content, type Message, type Sampling, textOf } from "@envs/core";
import {
  contentProblem,
  mediaParts,
  type ReplyFormat,
  type ToolChoice,
  type ToolSpec,
} from "@envs/core/engine";
import * as z from "zod";

import { assistantFrom } from "../wire/assistant-from.ts";
import { HttpError } from "./http-reply.ts";

/** Parts that are all text become one text, as chat templates join them. */
const content = z.unknown().transform((value, context): Content => {
  const problem = contentProblem(value, { kinds: ["image", "audio", "file"], maxBytes: Infinity });
  if (problem !== undefined) {
    context.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  }
  return mediaParts(value as Content).length > 0 ? (value as Content) : textOf(value as Content);
});

const plainText = z.union([
  z.string(),
  z
    .array(z.object({ type: z.literal("text", "only text is possible here"), text: z.string() }))
    .transform(textOf),
]);

const toolCall = z.object({
  id: z.string(),
  type: z.literal("function").default("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const message = z.discriminatedUnion("role", [
  z.object({ role: z.literal("system"), content: plainText }),
  z.object({ role: z.literal("developer"), content: plainText }),
  z.object({ role: z.literal("user"), content }),
  z.object({ role: z.literal("tool"), tool_call_id: z.string(), content }),
  z.object({
    role: z.literal("assistant"),
    content: plainText.nullish(),
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
  }),
]);

/** The messages of requests that share them, as an agent's requests of one conversation do. */
const readMessages = new WeakMap<object, Message>();

const readOnce = z.unknown().transform((value, context): Message => {
  const isObject = typeof value === "object" && value !== null;
  const before = isObject ? readMessages.get(value) : undefined;
  if (before !== undefined) return before;
  const parsed = message.safeParse(value);
  if (!parsed.success) {
    for (const { message: problem, path } of parsed.error.issues)
      context.addIssue({ code: "custom", message: problem, path: [...path] });
    return z.NEVER;
  }
  const read = readMessage(parsed.data);
  if (isObject) readMessages.set(value, read);
  return read;
});

const tool = z.object({
  type: z.literal("function"),
  function: z.object({
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.record(z.string(), z.unknown()).nullish(),
  }),
});

const toolChoice = z.union([
  z.literal(["auto", "none", "required"]),
  z
    .object({ type: z.literal("function"), function: z.object({ name: z.string() }) })
    .transform(({ function: { name } }) => ({ name })),
]);

const responseFormat = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text") }),
  z.object({ type: z.literal("json_object") }),
  z.object({
    type: z.literal("json_schema"),
    json_schema: z.object({
      name: z.string().default("reply"),
      schema: z.record(z.string(), z.unknown()).default({}),
    }),
  }),
]);

/** The fields of a chat-completions request that this server reads. Like other servers, it ignores unknown fields. */
const chatRequest = z.object({
  model: z.string(),
  messages: z.array(readOnce).min(1, "must have at least one message"),
  tools: z.array(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  response_format: responseFormat.nullish(),
  n: z
    .literal(1, "this server supports one choice only: send one request for each choice")
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  reasoning_effort: z.string().nullish().catch(undefined),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.int().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  logprobs: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
});

/** A chat-completions request as input for a model. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolSpec[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly format?: ReplyFormat | undefined;
  readonly sampling: Sampling;
  /** How long to reason, in a word of the provider. It is not part of the sampling, which all models have. */
  readonly effort?: string | undefined;
  readonly seed?: number | undefined;
  readonly isStream: boolean;
  /** Streams report their usage only on request. */
  readonly wantsUsage: boolean;
  readonly wantsLogprobs: boolean;
  readonly wantsTokenIds: boolean;
}

/** A body of up to this many times the limit is read to its end, so that the client can receive the error. */
const maxDrainFactor = 8;

/** Reads the body of a request. Throws an `HttpError` 413 if it has more than `limit` bytes. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const declared = Number(request.headers["content-length"] ?? 0);
  if (declared > limit * maxDrainFactor) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size <= limit) chunks.push(chunk as Buffer);
    if (size > limit * maxDrainFactor) break;
  }
  if (size > limit) throw tooLarge(limit);
  return Buffer.concat(chunks);
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The request's body exceeds the limit of ${limit} bytes.`, {
    headers: { connection: "close" },
  });
}

/** Reads the parsed body of a chat-completions request. Throws an `HttpError` 400 that lists the invalid fields. */
export function readChatRequest(body: unknown): ChatRequest {
  const parsed = chatRequest.safeParse(body);
  if (!parsed.success) throw badRequest(parsed.error);
  const { tools, tool_choice: choice, response_format: format, stop, seed, ...rest } = parsed.data;
  const maxTokens = rest.max_completion_tokens ?? rest.max_tokens;
  const stops = typeof stop === "string" ? [stop] : stop;
  return {
    model: rest.model,
    messages: rest.messages,
    tools: tools && tools.length > 0 && choice !== "none" ? tools.map(readTool) : undefined,
    toolChoice: choice ?? undefined,
    format: format ? readFormat(format) : undefined,
    sampling: {
      temperature: rest.temperature ?? undefined,
      topP: rest.top_p ?? undefined,
      maxTokens: maxTokens ?? undefined,
      stop: stops ?? undefined,
    },
    effort: rest.reasoning_effort ?? undefined,
    seed: seed ?? undefined,
    isStream: rest.stream === true,
    wantsUsage: rest.stream !== true || rest.stream_options?.include_usage === true,
    wantsLogprobs: rest.logprobs === true,
    wantsTokenIds: rest.return_token_ids === true,
  };
}

/** Parses a body. Throws an `HttpError` 400 if it is not JSON. */
export function parseBody(body: Buffer): unknown {
  try {
    // Long texts of ASCII are decoded in a fifth of the time.
    return JSON.parse(body.toString(isAscii(body) ? "latin1" : "utf8"));
  } catch (error) {
    throw new HttpError(400, "The request's body is not JSON.", { cause: error });
  }
}

function readMessage(sent: z.output<typeof message>): Message {
  if (sent.role === "developer") return { role: "system", content: sent.content };
  if (sent.role !== "assistant") return sent;
  const { content, reasoning_content: reasoning, tool_calls: toolCalls } = sent;
  return assistantFrom({ content: content ?? "", reasoning, toolCalls });
}

function readTool({
  function: { name, description, parameters },
}: z.output<typeof tool>): ToolSpec {
  return { name, description: description ?? "", parameters: parameters ?? { type: "object" } };
}

function readFormat(format: z.output<typeof responseFormat>): ReplyFormat | undefined {
  if (format.type === "text") return undefined;
  return format.type === "json_object"
    ? { type: "json" }
    : { type: "schema", ...format.json_schema };
}

/** The response to a body whose fields are not valid. */
export function badRequest({ issues }: z.ZodError): HttpError {
  const fields = issues.map(({ path, message: text }) => `${path.join(".") || "body"}: ${text}`);
  return new HttpError(400, `The request is not valid. ${fields.join("; ")}`, {
    field: issues[0]?.path.join(".") || undefined,
  });
}
