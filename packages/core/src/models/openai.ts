import pLimit from "p-limit";

import type { httpPost as httpPostType } from "#http-post";

import { RolloutError } from "../errors.ts";
import type { Model, ModelRequest, ModelResponse, Sampling } from "../model.ts";
import { readCompletion } from "./chat-completion.ts";
import { chatBody, type ChatTarget, chatTarget } from "./chat-request.ts";
import { networkError } from "./network-error.ts";
import { readJson } from "./read-json.ts";
import { retry, retryDelay } from "./retry.ts";
import { ServerError } from "./server-error.ts";

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
  const { concurrency, retries = 4, timeout = 600_000 } = options;
  const limit = concurrency === undefined ? undefined : pLimit(concurrency);
  let target: ChatTarget | undefined;
  // Imported with the first request: programs that only read runs need no HTTP client.
  let client: Promise<{ readonly httpPost: typeof httpPostType }> | undefined;
  let hasResponded = false;

  const ask = async (request: ModelRequest): Promise<ModelResponse> => {
    target ??= chatTarget(name, options);
    const { url, headers, server, apiKey } = target;
    const { signal, seed = 0 } = request;
    signal.throwIfAborted();
    const { httpPost } = await (client ??= import("#http-post"));
    const body = JSON.stringify(chatBody(name, request, options));

    const attempt = async (): Promise<ModelResponse> => {
      const response = await httpPost({ url, headers, body, signal, timeout, server }).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw networkError(error, { server, hasResponded });
        },
      );
      const reply = readCompletion(readJson(response, { name, server }), request, { name, server });
      hasResponded = true;
      return reply;
    };
    try {
      return await retry(attempt, {
        retries,
        signal,
        delayFor: (error, tries) =>
          error instanceof ServerError && error.kind === "transient"
            ? retryDelay(error.headers, tries, seed)
            : undefined,
      });
    } catch (error) {
      throw error instanceof ServerError ? asRolloutError(error, apiKey) : error;
    }
  };
  const model: Model = limit === undefined ? ask : (request) => limit(ask, request);
  return Object.assign(model, { id: name, check: () => void chatTarget(name, options) });
}

/** Creates the error of the rollout. Some servers repeat the API key in their messages. */
function asRolloutError({ kind, message, cause }: ServerError, apiKey: string): RolloutError {
  const text = apiKey.length < 8 ? message : message.replaceAll(apiKey, "[API key]");
  return new RolloutError("model", text, {
    cause,
    isFatal: kind === "fatal",
    isOverflow: kind === "overflow",
  });
}
