import type { ErrorDetail } from "./error-detail.ts";
import { isOverflow } from "./overflow.ts";

/** Names are in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>;

/**
 * What a failed request means. `transient`: a retry may succeed; `permanent`: this request will fail again; `fatal`: every other
 * request will fail the same way; `unreachable`: every other request will fail, because this server has never responded;
 * `overflow`: the conversation exceeds the model's context.
 */
export type FailureKind = "transient" | "permanent" | "fatal" | "unreachable" | "overflow";

export interface ServerErrorOptions extends ErrorOptions {
  readonly headers?: ResponseHeaders | undefined;
  /** The HTTP status, or the status that the code of an error means. */
  readonly status?: number | undefined;
}

/** A failed request, explained with its cause and remedy. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly kind: FailureKind;
  readonly headers: ResponseHeaders | undefined;
  readonly status: number | undefined;

  constructor(kind: FailureKind, message: string, options: ServerErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.headers = options.headers;
    this.status = options.status;
  }
}

/** The words for a model and its server in messages. */
export interface ServerContext {
  /** The model's name. */
  readonly name: string;
  /** The server's address. */
  readonly server: string;
  /** The name of its API. Default: chat completions. */
  readonly api?: string | undefined;
  /** A hint about the part of the address to check. */
  readonly addressHint?: string | undefined;
}

const invalidKey = /api[ _]key (?:is )?(?:not valid|invalid)|(?:invalid|incorrect) api[ _]key/i;

/** Explains an error that a server reported, by an HTTP status or in a body. */
export function serverError(
  { message: text, status, code, isModerated = false }: ErrorDetail,
  {
    name,
    server,
    api = "chat completions",
    addressHint = "that the base URL ends in /v1",
  }: ServerContext,
  headers?: ResponseHeaders,
): ServerError {
  const detail = status === undefined ? text : `${status} ${text}`.trim();
  const error = (kind: FailureKind, message: string): ServerError =>
    new ServerError(kind, message, { headers, status });

  if (status === undefined && !isOverflow(400, text))
    return error("transient", `${server} reported an error: ${detail}`);
  if (status === 402 || code === "insufficient_quota")
    return error(
      "fatal",
      `The account at ${server} has exceeded its quota (${detail}). Add credit, or use another key.`,
    );
  if (status === 403 && isModerated)
    return error("permanent", `${server} refused the prompt because of its content: ${detail}`);
  if (status === 401 || status === 403 || (status === 400 && invalidKey.test(text)))
    return error(
      "fatal",
      `${server} rejected the API key (${detail}). Check the key, and that it has access to ${name}.`,
    );
  if (status === 404 || status === 405)
    return error(
      "fatal",
      `${server} has no model ${name}, or no ${api} at this address (${detail}). Check the model's name, and ${addressHint}.`,
    );
  if (status === 407)
    return error(
      "fatal",
      `The HTTP proxy between this machine and ${server} requires credentials (${detail}). Add them to the proxy's URL.`,
    );
  if (isOverflow(status ?? 400, text))
    return error("overflow", `The conversation exceeds the context of ${name}: ${detail}`);
  if (status === undefined || isTransient(status))
    return error("transient", `${server} responded ${detail}`);
  return error("permanent", `${server} rejected the request: ${detail}`);
}

function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}
