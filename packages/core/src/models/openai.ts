import type OpenAI from "openai";
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
} from "openai/resources/chat/completions";
import pLimit from "p-limit";

import { ConfigError, RolloutError } from "../errors.ts";
import type { Message } from "../message.ts";
import type { Model, ModelRequest, ModelResponse, Sampling } from "../model.ts";
import { readCompletion } from "./chat-completion.ts";
import { explain } from "./openai-errors.ts";
import { retry, retryDelay } from "./retry.ts";

export interface OpenAIOptions {
  /** Where the server is, up to and including `/v1`. Default: OpenAI's own, or the variable `OPENAI_BASE_URL`. */
  readonly baseURL?: string;
  /** Default: the variable `OPENAI_API_KEY`. A server of your own may need none. */
  readonly apiKey?: string;
  /** What a run's own sampling is laid over. */
  readonly sampling?: Sampling;
  /** How many requests are under way at once. Default: no limit but the run's own. */
  readonly concurrency?: number;
  /** How often to repeat a request that failed for a passing reason: 408, 409, 429, 5xx, network, unreadable answer. Default 4. */
  readonly retries?: number;
  /** The longest one request may take, in milliseconds. Default 600,000. */
  readonly timeout?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** More fields of the request's body, sent as they are. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Ask for exact token ids and log-probabilities, as vLLM gives them. */
  readonly tokens?: boolean;
  /** Send the run's seed with each request. Default false: some servers refuse it. */
  readonly sendSeed?: boolean;
  /** Send the model's own earlier thoughts back to it. Default false: most templates drop them. */
  readonly keepReasoning?: boolean;
}

/** A model behind any server that speaks OpenAI's chat completions. */
export function openai(name: string, options: OpenAIOptions = {}): Model {
  const { baseURL, concurrency, retries = 4 } = options;
  const connect = once(() => client(name, options));
  const limit = concurrency === undefined ? undefined : pLimit(concurrency);
  let hasAnswered = false;

  const ask = async (request: ModelRequest): Promise<ModelResponse> => {
    const server = await connect();
    const { signal, seed = 0 } = request;
    const attempt = async (): Promise<ModelResponse> => {
      signal.throwIfAborted();
      const completion: ChatCompletion = await server.chat.completions.create(
        bodyOf(name, request, options),
        { signal },
      );
      const response = readCompletion(completion);
      hasAnswered = true;
      return response;
    };
    try {
      return await retry(attempt, {
        retries,
        signal,
        delayFor: (error, tries) => {
          const { isTransient, headers } = explain(error, { name, baseURL, hasAnswered });
          return isTransient ? retryDelay(headers, tries, seed) : undefined;
        },
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { message, isFatal, isOverflow } = explain(error, { name, baseURL, hasAnswered });
      throw new RolloutError("model", message, { cause: error, isFatal, isOverflow });
    }
  };
  const model: Model = limit === undefined ? ask : (request) => limit(ask, request);
  return Object.assign(model, { id: name, check: () => void checkKey(name, options) });
}

async function client(name: string, options: OpenAIOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await import("openai");
  const { leanFetch } = await import("#lean-fetch");
  return new Client({
    ...(leanFetch === undefined ? {} : { fetch: leanFetch }),
    apiKey: checkKey(name, options),
    maxRetries: 0,
    ...(options.baseURL === undefined ? {} : { baseURL: options.baseURL }),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(options.headers === undefined ? {} : { defaultHeaders: { ...options.headers } }),
  });
}

function checkKey(name: string, { apiKey, baseURL }: OpenAIOptions): string {
  const key = apiKey ?? variable("OPENAI_API_KEY");
  if (key) return key;
  if (baseURL !== undefined || variable("OPENAI_BASE_URL") !== undefined) return "none";
  throw new ConfigError(
    `The model ${name} needs a key. Set the variable OPENAI_API_KEY, or name your own server's base URL.`,
  );
}

function variable(name: string): string | undefined {
  return (typeof process === "undefined" ? undefined : process.env[name]) || undefined;
}

function bodyOf(
  name: string,
  { messages, tools, sampling, seed }: ModelRequest,
  options: OpenAIOptions,
): ChatCompletionCreateParamsNonStreaming {
  const { temperature, topP, maxTokens, stop } = { ...options.sampling, ...sampling };
  const sent = options.keepReasoning === true ? messages : messages.map(withoutReasoning);
  return {
    model: name,
    messages: sent as ChatCompletionCreateParamsNonStreaming["messages"],
    ...(tools === undefined
      ? {}
      : { tools: tools.map((tool) => ({ type: "function", function: { ...tool } }) as const) }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { [maxTokensField(options)]: maxTokens }),
    ...(stop === undefined ? {} : { stop: [...stop] }),
    ...(options.sendSeed === true && seed !== undefined ? { seed } : {}),
    ...(options.tokens === true ? { logprobs: true, return_token_ids: true } : {}),
    ...options.extraBody,
  };
}

/** OpenAI's own newer models refuse the old name; servers that speak its dialect all know it. */
function maxTokensField({ baseURL }: OpenAIOptions): "max_tokens" | "max_completion_tokens" {
  const isOwnServer = baseURL !== undefined || variable("OPENAI_BASE_URL") !== undefined;
  return isOwnServer ? "max_tokens" : "max_completion_tokens";
}

function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant" || message.reasoning_content === undefined) return message;
  const { reasoning_content: _, ...rest } = message;
  return rest;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}
