import {
  type HubErrorCode,
  hubErrors,
  type HubErrorStatus,
} from "@envs/hub-client/error-reference";

/** The details of a {@link HubError}. */
interface HubErrorOptions {
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
    this.status = options.status ?? hubErrors[code];
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

/** Invalid use of a command, or a problem of its environment. The message contains the remedy. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Codes of a full disk or an exhausted quota: the system's, and PostgreSQL's. */
const codes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "53100"]);

/** Whether an error of the file system or of PostgreSQL reports a full disk. */
export function isDiskFull(error: unknown): boolean {
  return codes.has((error as { readonly code?: unknown } | undefined)?.code);
}

/** The error of a change for which no space is left. */
export function diskFull(): HubError {
  return new HubError("disk-full", {
    message:
      "The hub has no space left, so it accepts no changes; packages can still be installed. Ask its operator to free space, then retry.",
  });
}

/** Control and invisible characters: messages quote the package, and terminals would interpret them. */
const unprintable = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The error for a rejected package. Escapes unprintable characters of the message and limits its length. */
export function refusal(code: HubErrorCode, message: string): HubError {
  const printable = message
    .toWellFormed()
    .replaceAll(unprintable, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`);
  return new HubError(code, { message: cut(printable, 1500) });
}

/** Quotes a text of a package in a message. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text, 250));
}

function cut(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
