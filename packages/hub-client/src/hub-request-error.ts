/** What the client says of a request; every other code is the hub's. */
export type ClientErrorCode =
  | "invalid-address"
  | "unreachable"
  | "unavailable"
  | "not-a-hub"
  | "unexpected-answer";

/** A request to a hub that did not succeed. */
export class HubRequestError extends Error {
  override readonly name = "HubRequestError";
  /** The status of the answer, if there was one. */
  readonly status: number | undefined;
  /** The hub's permanent code, or a {@link ClientErrorCode}. */
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

/** Whether something thrown is a {@link HubRequestError}, of whichever copy of this package. */
export function isHubRequestError(error: unknown): error is HubRequestError {
  return error instanceof Error && error.name === "HubRequestError";
}
