import type { RolloutError } from "@envs/core";
import { isConfigError, isRolloutError } from "@envs/core/engine";
import { HttpError } from "@envs/models/server";

/** Official SDKs obey this header. The model has been retried already, so another attempt would fail, too. */
const noRetry = { "x-should-retry": "false" };

/** The codes by which clients of OpenAI know these statuses. */
const codes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

/** The response to a request of an agent that failed. Hides the messages of unexpected errors. */
export function wireError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isRolloutError(error) && error.isOverflow)
    return new HttpError(400, `Context length exceeded: ${error.message}`, {
      code: "context_length_exceeded",
      headers: noRetry,
    });
  if (isRolloutError(error))
    return new HttpError(statusOf(error), error.message, {
      code: codes[error.status ?? 0] ?? "upstream_failed",
      headers: noRetry,
      cause: error,
    });
  const message = isConfigError(error) ? error.message : "The model failed.";
  return new HttpError(500, message, { headers: noRetry, cause: error });
}

/** The provider's status if it rejected the request: clients repeat others, such as 503, because a retry may succeed. */
function statusOf({ status = 0, isFatal }: RolloutError): number {
  if (status >= 400 && status < 500) return status;
  return isFatal ? 400 : 503;
}

/** A call that the session does not answer, because the rollout has ended or reached a limit. */
export function stoppedError(reason: string): HttpError {
  return new HttpError(400, `The rollout was stopped: ${reason}`, {
    code: "rollout_stopped",
    headers: noRetry,
  });
}
