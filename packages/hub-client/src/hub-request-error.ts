/** Codes of this client's own errors. All other codes are the hub's. */
export type ClientErrorCode =
  | "invalid-address"
  | "unreachable"
  | "unavailable"
  | "not-a-hub"
  | "unexpected-answer";

/** A failed request to a hub. */
export class HubRequestError extends Error {
  override readonly name = "HubRequestError";
  /** The HTTP status; `undefined` without a response. */
  readonly status: number | undefined;
  /** A permanent code of the hub, or a {@link ClientErrorCode}. */
  readonly code: string;

  constructor(
    message: string,
    { status, code, cause }: { status?: number; code: string; cause?: unknown },
  ) {
    super(message, { cause });
    this.status = status;
    this.code = code;
  }
}

/** Whether an error is a {@link HubRequestError}, of any installed copy of this package. */
export function isHubRequestError(error: unknown): error is HubRequestError {
  return error instanceof Error && error.name === "HubRequestError";
}
