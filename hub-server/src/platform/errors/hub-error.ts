type Status = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 503;

/** A request that the hub declines: what happened, why, what to do, and a permanent code. */
export class HubError extends Error {
  override readonly name = "HubError";
  readonly status: Status;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What a client needs to go on, beside the message. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: Status,
    code: string,
    {
      message,
      headers = {},
      details = {},
    }: {
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly details?: Readonly<Record<string, unknown>>;
    },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.details = details;
  }
}

/** Also what a stranger hears of a private package, so that names do not leak. */
export function notFound(what: string): HubError {
  return new HubError(404, "not-found", { message: `${what} is not on this hub.` });
}

export function unauthorized(message = "Log in first: npm login, or envs login."): HubError {
  return new HubError(401, "unauthorized", { message, headers: { "www-authenticate": "Bearer" } });
}

export function forbidden(message: string): HubError {
  return new HubError(403, "forbidden", { message });
}

/** npm prints `error`; newer clients also read `message`. */
export function errorBody(
  code: string,
  message: string,
): { error: string; message: string; code: string } {
  return { error: message, message, code };
}
