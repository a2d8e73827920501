import type { ServerResponse } from "node:http";

import type { Message } from "@envs/core";

/**
 * A behaviour of chat-completions servers that OpenAI's API rarely or never shows: a case of the tests, and a row of the docs.
 */
export interface ProviderBehaviour {
  /** Completes "The server …". */
  readonly behaviour: string;
  /** The servers that do it. */
  readonly by: string;
  /** The reaction of `openai`. */
  readonly effect: string;
  /** The conversation. Default: one short message. */
  readonly messages?: readonly Message[] | undefined;
  readonly respond: Respond;
  readonly outcome: Outcome;
  /** The outcome with a provider of the AI SDK, if the adapter decides it; else the provider decides. */
  readonly aiSdk?: Outcome | undefined;
  readonly options?: { readonly timeout?: number } | undefined;
  /** The number of requests before this one, which the server answers as usual. Default 0. */
  readonly earlier?: number | undefined;
}

/** Responds to the first request. The following requests get a completion. */
export type Respond = (response: ServerResponse, url: string, body: string) => void | Promise<void>;

/** The result or the error of the model. */
export type Outcome =
  /** A response with these fields, after one request or `requests`. */
  | { readonly reply: object; readonly requests?: number }
  /** The message of the failure, after which a retry succeeds. */
  | { readonly retried: string }
  /** A failure with this message, without a retry. */
  | {
      readonly fails: string;
      readonly isFatal?: boolean;
      readonly isOverflow?: boolean;
    };

/** A completion. `choice` and `top` are added to the choice and to the completion. */
export function completion(
  message: object = { content: "hello" },
  choice: object = {},
  top: object = {},
): object {
  return {
    id: "c1",
    object: "chat.completion",
    created: 0,
    model: "small",
    choices: [
      { index: 0, finish_reason: "stop", message: { role: "assistant", ...message }, ...choice },
    ],
    ...top,
  };
}

/** Sends a body; objects as JSON. */
export function send(
  response: ServerResponse,
  body: string | Buffer | object,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

/** Responds with a body. */
export function sends(
  body: string | Buffer | object,
  options: { status?: number; headers?: Record<string, string> } = {},
): Respond {
  return (response) => send(response, body, options);
}
