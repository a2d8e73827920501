import type { Model } from "../../model.ts";
import { chatEndpoint, type ChatEndpointOptions } from "./chat-endpoint.ts";
import { send } from "./http-reply.ts";
import { listen, type ListenOptions } from "./listen.ts";

/** How a model is served. */
export type ChatServerOptions = ChatEndpointOptions & ListenOptions;

/** A running server of chat completions. */
export interface ChatServer extends AsyncDisposable {
  /** What clients call the base URL; it ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening, and breaks off what is under way. */
  readonly close: () => Promise<void>;
}

/** Serves any model over HTTP as OpenAI's chat completions. */
export async function chatServer(
  model: Model,
  options: ChatServerOptions = {},
): Promise<ChatServer> {
  const answer = chatEndpoint(model, options);
  const server = await listen(async ({ request, response, signal }) => {
    const reply = await answer(request, signal);
    if (!signal.aborted) send(response, reply);
  }, options);
  return { ...server, url: `${server.origin}/v1` };
}
