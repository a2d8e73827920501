import type OpenAI from "openai";
import type {
  ChatCompletion,
  ChatCompletionCreateParamsNonStreaming,
} from "openai/resources/chat/completions";
import pLimit from "p-limit";

import { ConfigError, RolloutError } from "../errors.ts";
import { omitUndefined } from "../json.ts";
import type { Message } from "../message.ts";
import {
  mergeSampling,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type Sampling,
} from "../model.ts";
import { readCompletion } from "./chat-completion.ts";
import { explain } from "./openai-errors.ts";
import { retry, retryDelay } from "./retry.ts";

export interface OpenAIOptions {
  /** The server's address, up to and including `/v1`. Default: the variable `OPENAI_BASE_URL`, else OpenAI's API. */
  readonly baseURL?: string | undefined;
  /** Default: the variable `OPENAI_API_KEY`. Not required with a base URL. */
  readonly apiKey?: string | undefined;
  /** Defaults for the run's sampling. */
  readonly sampling?: Sampling | undefined;
  /** The maximum number of concurrent requests. Default: the run's concurrency. */
  readonly concurrency?: number | undefined;
  /** How many times to retry after a transient error: 408, 409, 429, 5xx, a network error, an invalid response. Default 4. */
  readonly retries?: number | undefined;
  /** The time limit of one request, in milliseconds. Default 600,000. */
  readonly timeout?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Additional fields of the request's body. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Whether to request exact token ids and log-probabilities, in vLLM's format. Default false. */
  readonly tokens?: boolean | undefined;
  /** Whether to send the seed of each request. Default false: some servers reject it. */
  readonly sendSeed?: boolean | undefined;
  /** Whether to send the model's earlier reasoning back to it. Default false: most chat templates drop it. */
  readonly keepReasoning?: boolean | undefined;
}

/** Creates a model on any server with OpenAI's chat-completions API. */
export function openai(name: string, options: OpenAIOptions = {}): Model {
  const { baseURL, concurrency, retries = 4 } = options;
  const connect = once(() => createClient(name, options));
  const limit = concurrency === undefined ? undefined : pLimit(concurrency);
  let hasResponded = false;

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
      hasResponded = true;
      return response;
    };
    try {
      return await retry(attempt, {
        retries,
        signal,
        delayFor: (error, tries) => {
          const { isTransient, headers } = explain(error, { name, baseURL, hasResponded });
          return isTransient ? retryDelay(headers, tries, seed) : undefined;
        },
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const { message, isFatal, isOverflow } = explain(error, { name, baseURL, hasResponded });
      throw new RolloutError("model", message, { cause: error, isFatal, isOverflow });
    }
  };
  const model: Model = limit === undefined ? ask : (request) => limit(ask, request);
  return Object.assign(model, { id: name, check: () => void checkKey(name, options) });
}

async function createClient(name: string, options: OpenAIOptions): Promise<OpenAI> {
  const { OpenAI: Client } = await import("openai");
  const { leanFetch } = await import("#lean-fetch");
  return new Client({
    fetch: leanFetch,
    apiKey: checkKey(name, options),
    maxRetries: 0,
    baseURL: options.baseURL,
    timeout: options.timeout,
    defaultHeaders: { ...options.headers },
  });
}

function checkKey(name: string, options: OpenAIOptions): string {
  const key = options.apiKey ?? variable("OPENAI_API_KEY");
  if (key) return key;
  if (hasOwnServer(options)) return "none";
  throw new ConfigError(
    `The model ${name} requires an API key. Set the variable OPENAI_API_KEY, or set the base URL of a server without keys.`,
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
  const { temperature, topP, maxTokens, stop } = mergeSampling(options.sampling, sampling);
  const sent = options.keepReasoning === true ? messages : messages.map(withoutReasoning);
  // OpenAI's newer models reject `max_tokens`. Other servers with its API all accept it.
  const isOpenAI = !hasOwnServer(options);
  const body = omitUndefined({
    model: name,
    messages: sent as ChatCompletionCreateParamsNonStreaming["messages"],
    tools: tools?.map((tool) => ({ type: "function", function: { ...tool } }) as const),
    temperature,
    top_p: topP,
    max_tokens: isOpenAI ? undefined : maxTokens,
    max_completion_tokens: isOpenAI ? maxTokens : undefined,
    stop: stop && [...stop],
    seed: options.sendSeed === true ? seed : undefined,
    logprobs: options.tokens === true ? true : undefined,
    return_token_ids: options.tokens === true ? true : undefined,
  });
  return { ...body, ...options.extraBody };
}

function hasOwnServer({ baseURL }: OpenAIOptions): boolean {
  return baseURL !== undefined || variable("OPENAI_BASE_URL") !== undefined;
}

function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant" || message.reasoning_content === undefined) return message;
  const { reasoning_content: _, ...rest } = message;
  return rest;
}

function once<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let promise: Promise<Value> | undefined;
  return () => (promise ??= create());
}
