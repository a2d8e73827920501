import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4FunctionTool,
} from "@ai-sdk/provider";

import { messageOf, RolloutError } from "../errors.ts";
import { omitUndefined } from "../json.ts";
import { assistantFrom, type Message, type ToolCall } from "../message.ts";
import type { FinishReason, Model, ModelRequest, ModelResponse, ToolSpec } from "../model.ts";
import { isOverflow } from "./overflow.ts";
import { retry, retryDelay } from "./retry.ts";

export interface AiSdkOptions {
  /** How many times to retry a call that failed with `isRetryable`. Default 4. */
  readonly retries?: number | undefined;
}

/** Creates a {@link Model} from a language model of the Vercel AI SDK, version 3 or 4 of its interface. */
export function aiSdk(
  languageModel: LanguageModelV3 | LanguageModelV4,
  { retries = 4 }: AiSdkOptions = {},
): Model {
  const ask = async (request: ModelRequest): Promise<ModelResponse> => {
    const { signal, seed = 0 } = request;
    try {
      return await retry(async () => read(await generate(languageModel, request)), {
        retries,
        signal,
        delayFor: (error, attempt) => {
          const { isRetryable, responseHeaders } = fieldsOf(error);
          if (isRetryable !== true) return undefined;
          return retryDelay(new Headers(responseHeaders ?? {}), attempt, seed);
        },
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { statusCode } = fieldsOf(error);
      throw new RolloutError("model", `${languageModel.modelId} failed: ${messageOf(error)}`, {
        cause: error,
        isFatal: statusCode === 401 || statusCode === 403 || statusCode === 404,
        isOverflow: statusCode !== undefined && isOverflow(statusCode, messageOf(error)),
      });
    }
  };
  return Object.assign(ask, { id: languageModel.modelId });
}

/** The fields of the SDK's `APICallError`. */
interface CallFailure {
  readonly statusCode?: number;
  readonly isRetryable?: boolean;
  readonly responseHeaders?: Record<string, string>;
}

function fieldsOf(error: unknown): CallFailure {
  return error instanceof Error ? (error as CallFailure) : {};
}

type Generated = Awaited<ReturnType<LanguageModelV4["doGenerate"] | LanguageModelV3["doGenerate"]>>;

function generate(
  languageModel: LanguageModelV3 | LanguageModelV4,
  { messages, tools, sampling = {}, seed, signal }: ModelRequest,
): PromiseLike<Generated> {
  const { temperature, topP, maxTokens, stop } = sampling;
  const options = omitUndefined({
    prompt: toPrompt(messages),
    abortSignal: signal,
    tools: tools?.map(toFunctionTool),
    temperature,
    topP,
    maxOutputTokens: maxTokens,
    stopSequences: stop && [...stop],
    seed,
  });
  return languageModel.specificationVersion === "v3"
    ? languageModel.doGenerate(options)
    : languageModel.doGenerate(options);
}

function toFunctionTool({ name, description, parameters }: ToolSpec): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: parameters };
}

interface TextPart {
  type: "text";
  text: string;
}
interface ToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}
interface ToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string };
}

/** The message format that both versions of the interface share. */
type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: TextPart[] }
  | { role: "assistant"; content: (TextPart | ToolCallPart)[] }
  | { role: "tool"; content: ToolResultPart[] };

function toPrompt(messages: readonly Message[]): PromptMessage[] {
  const toolNames = new Map<string, string>();
  return messages.map((message): PromptMessage => {
    switch (message.role) {
      case "system":
        return { role: "system", content: message.content };
      case "user":
        return { role: "user", content: [{ type: "text", text: message.content }] };
      case "tool": {
        const toolCallId = message.tool_call_id;
        const output = { type: "text", value: message.content } as const;
        const toolName = toolNames.get(toolCallId) ?? "unknown";
        return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
      }
      case "assistant": {
        const calls = message.tool_calls ?? [];
        for (const { id, function: called } of calls) toolNames.set(id, called.name);
        return {
          role: "assistant",
          content: [
            ...(message.content === "" ? [] : [{ type: "text", text: message.content } as const]),
            ...calls.map(({ id, function: called }) => ({
              type: "tool-call" as const,
              toolCallId: id,
              toolName: called.name,
              input: parseOrText(called.arguments),
            })),
          ],
        };
      }
    }
  });
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function read({ content, finishReason, usage }: Generated): ModelResponse {
  let text = "";
  let reasoning = "";
  const calls: ToolCall[] = [];
  for (const part of content) {
    if (part.type === "text") text += part.text;
    else if (part.type === "reasoning") reasoning += part.text;
    else if (part.type === "tool-call" && part.providerExecuted !== true)
      calls.push({
        id: part.toolCallId,
        type: "function",
        function: { name: part.toolName, arguments: part.input },
      });
  }
  if (finishReason.unified === "error" || (finishReason.unified as string) === "interrupted")
    throw new RolloutError(
      "model",
      `The provider ended its response with ${finishReason.raw ?? "an error"}.`,
    );
  const { inputTokens, outputTokens } = usage;
  return {
    message: assistantFrom({ content: text, reasoning, toolCalls: calls }),
    finish: readFinish(finishReason.unified, calls),
    usage: { inputTokens: inputTokens.total ?? 0, outputTokens: outputTokens.total ?? 0 },
  };
}

function readFinish(reason: string, calls: readonly ToolCall[]): FinishReason {
  if (reason === "length") return "length";
  if (reason === "content-filter") return "content_filter";
  return calls.length > 0 ? "tool_calls" : "stop";
}
