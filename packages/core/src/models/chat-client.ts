import type { httpPost as httpPostType } from "#http-post";

import type { ModelRequest, ModelResponse } from "../model.ts";
import { readCompletion } from "./chat-completion.ts";
import { chatBody, type ChatTarget, type OpenAIOptions } from "./chat-request.ts";
import { networkError } from "./network-error.ts";
import { readJson } from "./read-json.ts";

/** One server of a model. */
export interface ChatClient {
  /** The server's address for messages. */
  readonly address: string;
  /** Sends a request once. Rejects with a `ServerError`, or with the reason of the request's signal. */
  readonly ask: (request: ModelRequest) => Promise<ModelResponse>;
}

// Imported with the first request: programs that only read runs need no HTTP client.
let client: Promise<{ readonly httpPost: typeof httpPostType }> | undefined;

/** Creates the client of one server with OpenAI's chat-completions API. */
export function chatClient(name: string, target: ChatTarget, options: OpenAIOptions): ChatClient {
  const { timeout = 600_000 } = options;
  const { url, headers, server } = target;
  let hasResponded = false;

  return {
    address: server,
    async ask(request) {
      const { signal } = request;
      signal.throwIfAborted();
      const { httpPost } = await (client ??= import("#http-post"));
      const body = JSON.stringify(chatBody(name, request, options));
      const response = await httpPost({ url, headers, body, signal, timeout, server }).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          throw networkError(error, { server, hasResponded });
        },
      );
      const reply = readCompletion(readJson(response, { name, server }), request, { name, server });
      hasResponded = true;
      return reply;
    },
  };
}
