import { RolloutError } from "@envs/core";
import type { RolloutErrorOptions } from "@envs/core/engine";
import { isHTTPError, isNetworkError, isTimeoutError } from "ky";

/** The service rejected a request or failed, after all retries. */
export class ServiceError extends RolloutError {
  /** The service's own message. */
  readonly detail: string;
  /** The session or the model no longer exists on the service. */
  readonly isLost: boolean;
  /** The service does not have the route, or does not accept the content type there. */
  readonly isUnsupported: boolean;

  constructor(message: string, options: ServiceErrorOptions = {}) {
    super("model", message, options);
    this.detail = options.detail ?? message;
    this.isLost = options.isLost ?? false;
    this.isUnsupported = options.isUnsupported ?? false;
  }
}

type ServiceErrorOptions = RolloutErrorOptions &
  Partial<Pick<ServiceError, "detail" | "isLost" | "isUnsupported">>;

export interface RequestTarget {
  readonly baseURL: string;
  /** The route, such as `forward_backward`. */
  readonly route: string;
}

/** Converts an error of the HTTP client to one that explains the failure and the remedy. */
export function toServiceError(error: unknown, { baseURL, route }: RequestTarget): ServiceError {
  if (isHTTPError(error))
    return statusError(error.response.status, detailOf(error.data), { baseURL, route });
  if (isTimeoutError(error))
    return new ServiceError(
      `${baseURL} did not respond to ${route} in time, after all retries; it may be overloaded. Resume from the last checkpoint.`,
      { cause: error },
    );
  if (isNetworkError(error))
    return new ServiceError(
      `The connection to ${baseURL} failed (${errorCode(error)}). Check that the service is running and that baseURL is right.`,
      { cause: error },
    );
  return new ServiceError(`The response of ${baseURL} to ${route} ended early.`, { cause: error });
}

/** The content of a response that the client cannot decode. */
interface ResponseContent {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly canBeProtobuf: boolean;
}

/** The error of a response that is neither JSON nor the protobuf message of its route. Fatal: it would be the same again. */
export function contentError(
  { bytes, type, canBeProtobuf }: ResponseContent,
  { baseURL, route }: RequestTarget,
  cause?: unknown,
): ServiceError {
  const start = new TextDecoder().decode(bytes.subarray(0, 80)).replaceAll(/[^ -~]+/gu, " ");
  const expected = canBeProtobuf ? "valid JSON or protobuf" : "valid JSON";
  return new ServiceError(
    `${baseURL} responded to ${route} with ${bytes.length} bytes of ${type} (${start.trim()}), but ${expected} was expected. Check that baseURL is a Tinker-compatible service, without a proxy that answers in its place.`,
    { cause, isFatal: true },
  );
}

/** The error of an operation that the service accepted and then failed at. Some services report a lost model only here. */
export function operationError(route: string, detail: string): ServiceError {
  return /\b(?:model|session)\b.*\bnot (?:found|loaded)\b/iu.test(detail)
    ? lostError(detail)
    : new ServiceError(`The service failed at ${route}: ${detail}`, { detail });
}

function statusError(
  status: number,
  detail: string,
  { baseURL, route }: RequestTarget,
): ServiceError {
  if (status === 401 || status === 403)
    return new ServiceError(
      `${baseURL} rejected the API key (${detail}). Check apiKey and its access to this model.`,
      { status, detail, isFatal: true },
    );
  if (status === 404 && /^not found$/iu.test(detail))
    return new ServiceError(
      `${baseURL} has no route ${route}: it is not a Tinker-compatible service, or baseURL is wrong. Pass the part of the address before /api/v1 as baseURL.`,
      { status, detail, isUnsupported: true, isFatal: true },
    );
  if (status === 415)
    return new ServiceError(
      `${baseURL} does not accept the content type of a request to ${route} (${detail}). Its version may not fit this client's; update both.`,
      { status, detail, isUnsupported: true, isFatal: true },
    );
  if (status === 404) return lostError(detail, status);
  const message = `The service responded to ${route} with status ${status} (${detail}).`;
  const advice = " It is still busy after all retries. Lower concurrency, or try again later.";
  return new ServiceError(status === 429 ? message + advice : message, { status, detail });
}

function lostError(detail: string, status?: number): ServiceError {
  return new ServiceError(
    `The service no longer has the model or the session of this run (${detail}). All training since the last checkpoint is lost. Resume from that checkpoint.`,
    { detail, status, isLost: true, isFatal: true },
  );
}

/** The message in an error response, in the formats of FastAPI and Tinker. */
function detailOf(data: unknown): string {
  if (typeof data === "string") return data.trim().slice(0, 500) || "no message";
  if (typeof data !== "object" || data === null) return "no message";
  const { detail, error, message } = data as Record<string, unknown>;
  const content = detail ?? error ?? message ?? data;
  return typeof content === "string" ? content : JSON.stringify(content).slice(0, 500);
}

/** The system's code of a network error, such as `ECONNREFUSED`, or else its message. */
function errorCode(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  return error.message;
}
