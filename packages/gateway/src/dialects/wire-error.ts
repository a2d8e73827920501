import { isConfigError, isRolloutError } from "@envs/core/engine";
import { HttpError } from "@envs/models/server";

/** Official SDKs obey this header. The model has been retried already, so another attempt would fail, too. */
const noRetry = { "x-should-retry": "false" };

/** The response to a request of an agent that failed. Hides the messages of unexpected errors. */
export function wireError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (isRolloutError(error) && error.isOverflow)
    return new HttpError(400, `Context length exceeded: ${error.message}`, {
      code: "context_length_exceeded",
      headers: noRetry,
    });
  if (isRolloutError(error))
    return new HttpError(error.isFatal ? 400 : 503, error.message, {
      code: "upstream_failed",
      headers: noRetry,
      cause: error,
    });
  const message = isConfigError(error) ? error.message : "The model failed.";
  return new HttpError(500, message, { headers: noRetry, cause: error });
}

/** A call that the session does not answer, because the rollout has ended or reached a limit. */
export function stoppedError(reason: string): HttpError {
  return new HttpError(400, `The rollout was stopped: ${reason}`, {
    code: "rollout_stopped",
    headers: noRetry,
  });
}
