import type { Model } from "../../model.ts";
import { chatEndpoint, type ChatEndpointOptions } from "./chat-endpoint.ts";
import { send } from "./http-reply.ts";
import { listen, type ListenOptions } from "./listen.ts";

/** Options of a chat server. */
export type ChatServerOptions = ChatEndpointOptions & ListenOptions;

/** A running chat server. */
export interface ChatServer extends AsyncDisposable {
  /** The base URL for clients. It ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and aborts running requests. */
  readonly close: () => Promise<void>;
}

/** Serves a model over HTTP with OpenAI's chat-completions API. */
export async function chatServer(
  model: Model,
  options: ChatServerOptions = {},
): Promise<ChatServer> {
  const endpoint = chatEndpoint(model, options);
  const server = await listen(async ({ request, response, signal }) => {
    const reply = await endpoint(request, signal);
    if (!signal.aborted) send(response, reply);
  }, options);
  return { ...server, url: `${server.origin}/v1` };
}
