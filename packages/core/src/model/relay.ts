import type { ModelRequest } from "./model.ts";

/**
 * A call that a client has made in the wire format of its provider. A model whose server has the same format may pass the call
 * on as it is, and the reply back: the events of a stream as they come. Other models ignore it.
 */
export interface RelayedCall {
  /** The wire format: `chat` for OpenAI's chat completions. */
  readonly dialect: string;
  readonly isStream: boolean;
  /** The client's headers that change what the server accepts, such as `anthropic-beta`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The JSON body of the request. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The values that were read from the body. A request with others was changed on its way, so the body is not passed on. */
  readonly read: Pick<ModelRequest, "messages" | "tools" | "toolChoice" | "format">;
  /**
   * Passes an event on, or the whole reply. `isEnd`: it belongs to the end of the reply, which a client must not receive before it
   * is recorded.
   */
  readonly write: (text: string, isEnd: boolean) => void;
  /** Receives the reply that was passed on, as an object of the wire format. */
  readonly onReply?: ((reply: unknown) => void) | undefined;
}
