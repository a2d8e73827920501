import { type Message, type ModelRequest } from "@envs/core";
import { mergeSampling, type ReplyFormat, type ToolChoice } from "@envs/core/engine";

import { type ServerOptions, variable } from "./server-target.ts";
import { mediaInUserMessages } from "./tool-media.ts";

export interface OpenAIOptions extends ServerOptions {
  /** Whether to request exact token ids and log-probabilities, in vLLM's format. Default false. */
  readonly tokens?: boolean | undefined;
  /** Whether to send the seed of each request. Default false: some servers reject it. */
  readonly sendSeed?: boolean | undefined;
}

/** The body of the request for the next message. */
export function chatBody(
  name: string,
  { messages, tools, toolChoice, format, sampling, seed }: ModelRequest,
  options: OpenAIOptions,
): Readonly<Record<string, unknown>> {
  const { temperature, topP, maxTokens, stop } = mergeSampling(options.sampling, sampling);
  const accepted = mediaInUserMessages(messages);
  const sent = options.keepReasoning === true ? accepted : accepted.map(withoutReasoning);
  // OpenAI's newer models reject `max_tokens`. All other servers with this API accept it.
  const isOpenAI = options.baseURL === undefined && variable("OPENAI_BASE_URL") === undefined;
  // JSON omits fields that are undefined.
  return {
    model: name,
    messages: sent,
    tools: tools?.map((tool) => ({ type: "function", function: tool })),
    tool_choice: toolChoice && wireChoice(toolChoice),
    response_format: format && wireFormat(format),
    temperature,
    top_p: topP,
    max_tokens: isOpenAI ? undefined : maxTokens,
    max_completion_tokens: isOpenAI ? maxTokens : undefined,
    stop,
    seed: options.sendSeed === true ? seed : undefined,
    logprobs: options.tokens === true ? true : undefined,
    return_token_ids: options.tokens === true ? true : undefined,
  };
}

function wireChoice(choice: ToolChoice): unknown {
  return typeof choice === "string"
    ? choice
    : { type: "function", function: { name: choice.name } };
}

function wireFormat(format: ReplyFormat): unknown {
  if (format.type === "json") return { type: "json_object" };
  const { name, schema } = format;
  return { type: "json_schema", json_schema: { name, schema, strict: true } };
}

function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant" || message.reasoning_content === undefined) return message;
  const { reasoning_content: _, ...rest } = message;
  return rest;
}
