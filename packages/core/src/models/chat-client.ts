import type { httpPost as httpPostType } from "#http-post";

import type { ModelRequest, ModelResponse } from "../model.ts";
import { ChatChunks } from "./chat-chunks.ts";
import { readCompletion } from "./chat-completion.ts";
import { chatBody, type ChatTarget, type OpenAIOptions } from "./chat-request.ts";
import { networkError } from "./network-error.ts";
import { readJson } from "./read-json.ts";
import { relayedChat } from "./relayed-chat.ts";
import { ServerError } from "./server-error.ts";

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

  const send = async (request: ModelRequest, chunks: ChatChunks | undefined) => {
    const { signal } = request;
    const { httpPost } = await (client ??= import("#http-post"));
    const body = chunks?.body(name, request, options) ?? chatBody(name, request, options);
    const sent = { url, headers, body: JSON.stringify(body), signal, timeout, server };
    const response = await httpPost({ ...sent, onText: chunks?.feed }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw networkError(error, { server, hasResponded });
    });
    // A server may ignore that a stream was asked for.
    const completion = chunks?.hasBegun
      ? chunks.completion({ server })
      : readJson(response, { name, server });
    const reply = readCompletion(completion, request, { name, server });
    hasResponded = true;
    return reply;
  };

  return {
    address: server,
    async ask(request) {
      request.signal.throwIfAborted();
      const relay = relayedChat(request, options);
      const chunks = relay && new ChatChunks(relay);
      try {
        return await send(request, chunks);
      } catch (error) {
        // A client that has read a part of one reply cannot read another.
        if (chunks?.hasWritten === true && error instanceof ServerError)
          throw new ServerError("permanent", error.message, { cause: error });
        throw error;
      }
    },
  };
}
