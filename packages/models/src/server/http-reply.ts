import type { ServerResponse } from "node:http";

import { isConfigError, isRolloutError } from "@envs/core/engine";

/** A complete response of the server. */
export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Creates a reply with a JSON body. */
export function json(status: number, body: unknown, headers: HttpReply["headers"] = {}): HttpReply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Sends a reply and ends the response. */
export function send(response: ServerResponse, { status, headers, body }: HttpReply): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, "content-length": bytes.length });
  response.end(bytes);
}

export interface HttpErrorOptions extends ErrorOptions {
  /** A permanent code that OpenAI's clients know. */
  readonly code?: string | undefined;
  /** The invalid field of the request. */
  readonly field?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** An error response: the status and the message for the client. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly code: string | undefined;
  readonly field: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options);
    this.status = status;
    this.code = options.code;
    this.field = options.field;
    this.headers = options.headers ?? {};
  }
}

/** Converts any error to OpenAI's error body. Hides the messages of unexpected errors from the client. */
export function errorReply(error: unknown): HttpReply {
  const { status, message, code, field, headers } = asHttpError(error);
  const type = status < 500 ? "invalid_request_error" : "server_error";
  const body = { error: { message, type, param: field ?? null, code: code ?? null } };
  return json(status, body, headers);
}

function asHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isRolloutError(error) && error.isOverflow)
    return new HttpError(400, `Context length exceeded: ${error.message}`, {
      code: "context_length_exceeded",
    });
  if (isRolloutError(error) || isConfigError(error)) return new HttpError(500, error.message);
  return new HttpError(500, "The model failed.");
}
