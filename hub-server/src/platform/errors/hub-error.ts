import {
  type HubErrorCode,
  hubErrors,
  type HubErrorStatus,
} from "@envs/hub-client/error-reference";

/** The details of a {@link HubError}. */
export interface HubErrorOptions {
  /** What failed with its value, why, and what to do. */
  readonly message: string;
  /** Default: the status of the code in the error reference. */
  readonly status?: HubErrorStatus | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Further fields of the response body. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** A rejected request. The error reference in `@envs/hub-client` has an entry for each code. */
export class HubError extends Error {
  override readonly name = "HubError";
  readonly code: HubErrorCode;
  readonly status: HubErrorStatus;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: HubErrorCode, options: HubErrorOptions) {
    super(options.message);
    this.code = code;
    this.status = options.status ?? hubErrors[code].status;
    this.headers = options.headers ?? {};
    this.details = options.details ?? {};
  }
}

/** The error for a missing resource, also for a private package that the caller cannot read, whose name a 403 would reveal. */
export function notFound(what: string): HubError {
  return new HubError("not-found", { message: `${what} is not on this hub.` });
}

export function unauthorized(message = "Log in first: npm login, or envs hub login."): HubError {
  return new HubError("unauthorized", { message, headers: { "www-authenticate": "Bearer" } });
}

export function forbidden(message: string): HubError {
  return new HubError("forbidden", { message });
}

/** npm prints `error`; newer clients also read `message`. */
export function errorBody(
  code: HubErrorCode,
  message: string,
): { error: string; message: string; code: string } {
  return { error: message, message, code };
}
