import { ConfigError } from "../errors.ts";
import { omitUndefined } from "../json.ts";
import type { Message } from "../message.ts";
import {
  mergeSampling,
  type ModelRequest,
  type ReplyFormat,
  type Sampling,
  type ToolChoice,
} from "../model.ts";
import { redactUrl, splitUrls } from "../redact-url.ts";
import { mediaInUserMessages } from "./tool-media.ts";

export interface OpenAIOptions {
  /**
   * The server's address, up to and including `/v1`; several addresses, as a list or with commas, of servers of the same model.
   * Default: the variable `OPENAI_BASE_URL`, else OpenAI's API.
   */
  readonly baseURL?: string | readonly string[] | undefined;
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

/** The parts of a request that are the same for each turn. */
export interface ChatTarget {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly apiKey: string;
  /** The server's address for messages. */
  readonly server: string;
}

/**
 * Reads addresses, key and headers from the options and the environment's variables: one target for each server. Throws a
 * `ConfigError` if one is invalid.
 */
export function chatTargets(name: string, options: OpenAIOptions): readonly ChatTarget[] {
  const own = options.baseURL ?? variable("OPENAI_BASE_URL");
  if (own === undefined) return [chatTarget(name, undefined, options)];
  const addresses = typeof own === "string" ? splitUrls(own) : own;
  if (addresses.length === 0)
    throw new ConfigError(`The list of base URLs of ${name} is empty. Write at least one address.`);
  const targets = addresses.map((address) => chatTarget(name, address, options));
  const twice = targets.find(({ url }, i) =>
    targets.some((other, j) => j < i && other.url.href === url.href),
  );
  if (twice === undefined) return targets;
  throw new ConfigError(`The base URL ${twice.server} is listed twice. Remove one of them.`);
}

function chatTarget(
  name: string,
  ownServer: string | undefined,
  options: OpenAIOptions,
): ChatTarget {
  const apiKey = (options.apiKey ?? variable("OPENAI_API_KEY"))?.trim() || undefined;
  if (apiKey === undefined && ownServer === undefined)
    throw new ConfigError(
      `The model ${name} requires an API key. Set the variable OPENAI_API_KEY, or set the base URL of a server without keys.`,
    );
  const url = readBaseURL(ownServer ?? "https://api.openai.com/v1");
  const server = ownServer === undefined ? "the API" : `${url.origin}${url.pathname}`;
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/chat/completions`;
  const headers = omitUndefined({
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "envs",
    authorization: `Bearer ${apiKey ?? "none"}`,
    "openai-organization": variable("OPENAI_ORG_ID"),
    "openai-project": variable("OPENAI_PROJECT_ID"),
  });
  const more = Object.entries(options.headers ?? {}).map(([key, value]) => [
    key.toLowerCase(),
    value,
  ]);
  return {
    url,
    server,
    apiKey: apiKey ?? "none",
    headers: { ...headers, ...(Object.fromEntries(more) as Record<string, string>) },
  };
}

function readBaseURL(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new ConfigError(
      `The base URL ${JSON.stringify(redactUrl(text))} is not valid. Write an address such as http://localhost:8000/v1.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new ConfigError(
      `The base URL of ${url.host} contains a user name or a password. Pass them in an authorization header instead.`,
    );
  if (url.pathname.includes(","))
    throw new ConfigError(
      `The base URL ${JSON.stringify(redactUrl(text))} contains a comma. Begin each of several addresses with http:// or https://, and write a comma of an address as %2C.`,
    );
  return url;
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
  // OpenAI's newer models reject `max_tokens`. Other servers with its API all accept it.
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
    ...options.extraBody,
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

function variable(name: string): string | undefined {
  return (typeof process === "undefined" ? undefined : process.env[name]) || undefined;
}
