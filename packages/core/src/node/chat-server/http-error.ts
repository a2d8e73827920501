import { isConfigError, isRolloutError } from "../../errors.ts";
import { type HttpReply, json } from "./http-reply.ts";

export interface HttpErrorOptions extends ErrorOptions {
  /** A permanent name of what is wrong, as OpenAI's clients know it. */
  readonly code?: string;
  /** The field of the request that is wrong. */
  readonly field?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that is refused: the status and what the caller is told. */
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

/** Turns whatever went wrong into OpenAI's error body. What was not written for users stays inside. */
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
