import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
import { type Model, type ModelRequest, type ModelResponse, RolloutError } from "@envs/core";
import {
  messageOf,
  omitUndefined,
  parseJson,
  type ReplyFormat,
  type ToolChoice,
  type ToolSpec,
  type Usage,
} from "@envs/core/engine";

import { errorDetail } from "../http/error-detail.ts";
import { excerpt } from "../http/excerpt.ts";
import { retryTransient } from "../http/retry.ts";
import { type ServerContext, ServerError, serverError } from "../http/server-error.ts";
import { assistantFrom } from "../wire/assistant-from.ts";
import { replyEnd } from "../wire/finish-reason.ts";
import { interruptedReply } from "../wire/parse-reply.ts";
import { createToolCalls } from "../wire/tool-call-ids.ts";
import { toPrompt } from "./ai-sdk-prompt.ts";

export interface AiSdkOptions {
  /** How many times to retry a call that failed with `isRetryable`. Default 4. */
  readonly retries?: number | undefined;
}

/** Creates a {@link Model} from a language model of the Vercel AI SDK, version 3 or 4 of its interface. */
export function aiSdk(
  languageModel: LanguageModelV3 | LanguageModelV4,
  { retries = 4 }: AiSdkOptions = {},
): Model {
  const { modelId, provider } = languageModel;
  const context = { name: modelId, server: provider };
  const attempt = async (request: ModelRequest): Promise<ModelResponse> => {
    const { signal } = request;
    try {
      return read(await generate(languageModel, request), request, context);
    } catch (error) {
      signal.throwIfAborted();
      throw explain(error, context);
    }
  };
  const ask = async (request: ModelRequest): Promise<ModelResponse> => {
    try {
      return await retryTransient(request, retries, () => attempt(request));
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      const { kind, message, cause, status } = error;
      throw new RolloutError("model", `${modelId} failed: ${message}`, {
        cause,
        status,
        isFatal: kind === "fatal",
        isOverflow: kind === "overflow",
      });
    }
  };
  return Object.assign(ask, { id: modelId, settings: { provider } });
}

/** The fields of the SDK's `APICallError`. */
interface CallFailure {
  readonly statusCode?: number;
  readonly isRetryable?: boolean;
  readonly responseHeaders?: Record<string, string>;
  readonly responseBody?: string;
}

/** The names of the SDK's errors for responses that are not completions. */
const invalidResponse =
  /^AI_(?:InvalidResponseData|NoContentGenerated|EmptyResponseBody|JSONParse|TypeValidation)Error$/;

/** Explains an error of the SDK as `openai()` explains the response. The SDK itself does not read errors with status 200. */
function explain(error: unknown, context: ServerContext): ServerError {
  if (error instanceof ServerError) return error;
  const failure = error instanceof Error ? (error as CallFailure) : {};
  const {
    statusCode: status,
    isRetryable = false,
    responseHeaders: headers,
    responseBody,
  } = failure;
  const message = excerpt(messageOf(error), 1000);
  if (status === undefined) {
    const isTransient = isRetryable || (error instanceof Error && invalidResponse.test(error.name));
    return new ServerError(isTransient ? "transient" : "permanent", message, { cause: error });
  }
  if (status >= 200 && status < 300) {
    const detail = errorDetail(parseJson(responseBody ?? ""));
    return detail === undefined
      ? new ServerError("transient", message, { cause: error, headers })
      : serverError(detail, context, headers);
  }
  const detail = errorDetail(parseJson(responseBody ?? "")) ?? { message };
  const { kind, message: text } = serverError({ ...detail, status }, context);
  const isTransient = kind === "permanent" && isRetryable;
  const options = { cause: error, headers, status };
  return new ServerError(isTransient ? "transient" : kind, text, options);
}

type Generated = Awaited<ReturnType<LanguageModelV4["doGenerate"] | LanguageModelV3["doGenerate"]>>;

function generate(
  languageModel: LanguageModelV3 | LanguageModelV4,
  { messages, tools, toolChoice, format, sampling = {}, seed, signal }: ModelRequest,
): PromiseLike<Generated> {
  const { temperature, topP, maxTokens, stop } = sampling;
  const options = omitUndefined({
    abortSignal: signal,
    tools: tools?.map(toFunctionTool),
    toolChoice: toolChoice && toToolChoice(toolChoice),
    responseFormat: format && toResponseFormat(format),
    temperature,
    topP,
    maxOutputTokens: maxTokens,
    stopSequences: stop && [...stop],
    seed,
  });
  return languageModel.specificationVersion === "v3"
    ? languageModel.doGenerate({ ...options, prompt: toPrompt(messages, (source) => source) })
    : languageModel.doGenerate({ ...options, prompt: toPrompt(messages, taggedData) });
}

function taggedData(source: string | URL) {
  return typeof source === "string"
    ? ({ type: "data", data: source } as const)
    : ({ type: "url", url: source } as const);
}

function toFunctionTool({ name, description, parameters }: ToolSpec): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: parameters };
}

function toToolChoice(choice: ToolChoice): LanguageModelV4ToolChoice {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

function toResponseFormat(format: ReplyFormat): LanguageModelV4CallOptions["responseFormat"] {
  return format.type === "json"
    ? { type: "json" }
    : { type: "json", name: format.name, schema: format.schema };
}

function read(
  { content, finishReason, usage, response }: Generated,
  { messages }: ModelRequest,
  context: ServerContext,
): ModelResponse {
  const { unified, raw } = finishReason;
  // Some providers map only the reasons of OpenAI's API, and report all others as `other`.
  const end = unified === "other" ? replyEnd(raw) : replyEnd(unified);
  if (end === "error") throw interruptedReply(raw ?? unified, context);
  let text = "";
  let reasoning = "";
  const received: { id: string; name: string; input: unknown }[] = [];
  for (const part of content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "reasoning") reasoning += part.text;
    else if (part.type === "tool-call" && part.providerExecuted !== true)
      received.push({ id: part.toolCallId, name: part.toolName, input: part.input });
  }
  const toolCalls = createToolCalls(received, messages);
  return {
    message: assistantFrom({ content: text, reasoning, toolCalls }),
    finish: end === "stop" && toolCalls.length > 0 ? "tool_calls" : end,
    usage: readUsage(usage),
    server: response && omitUndefined({ model: response.modelId, responseId: response.id }),
  };
}

function readUsage(usage: Generated["usage"] | undefined): Usage | undefined {
  const inputTokens = usage?.inputTokens?.total;
  const outputTokens = usage?.outputTokens?.total;
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  return {
    inputTokens,
    outputTokens,
    ...omitUndefined({
      cacheReadTokens: usage?.inputTokens?.cacheRead || undefined,
      cacheWriteTokens: usage?.inputTokens?.cacheWrite || undefined,
    }),
  };
}
