import { messageOf } from "@envs/core/engine";
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";

/** A request that failed because of the server or the connection. The message names the server. */
export class McpError extends Error {
  override readonly name = "McpError";
  /** Whether the server rejected the request before it did anything, so that a new connection may repeat it. */
  readonly isRepeatable: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly isRepeatable?: boolean | undefined } = {},
  ) {
    super(message, options);
    this.isRepeatable = options.isRepeatable ?? false;
  }
}

/** The meaning of an error of the SDK, as the predicate of a sentence about the server. */
export interface Diagnosis {
  readonly problem: string;
  /** Whether no later request on this connection can succeed. */
  readonly isBroken: boolean;
  readonly isRepeatable?: boolean;
}

/** Explains why a request failed. */
export function diagnose(error: unknown, operation: string, timeoutMs: number): Diagnosis {
  if (error instanceof SdkHttpError) return diagnoseStatus(error, operation);
  if (error instanceof ProtocolError)
    return { problem: `did not ${operation}: ${error.message}`, isBroken: false };
  if (!(error instanceof SdkError))
    return { problem: `could not be reached: ${causeOf(error)}`, isBroken: true };
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return { problem: `did not ${operation} within ${timeoutMs / 1000} s`, isBroken: false };
    case SdkErrorCode.InvalidResult:
      return { problem: `sent an invalid response: ${error.message}`, isBroken: false };
    case SdkErrorCode.ListPaginationExceeded:
      return { problem: "lists tools without an end", isBroken: false };
    default:
      return { problem: `could not be reached: ${causeOf(error)}`, isBroken: true };
  }
}

function diagnoseStatus({ status, message }: SdkHttpError, operation: string): Diagnosis {
  if (status === 401 || status === 403)
    return {
      problem: `rejected the credentials with status ${status}. Set the headers that it needs`,
      isBroken: true,
    };
  if (status === 404)
    return {
      problem: `does not know this session or path (status 404)`,
      isBroken: true,
      isRepeatable: true,
    };
  return { problem: `did not ${operation}: status ${status}: ${message}`, isBroken: true };
}

/** The innermost reason: `fetch` says `fetch failed`, and has the reason as its cause. */
function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : causeOf(cause);
}
