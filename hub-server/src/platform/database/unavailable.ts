import { HubError } from "../errors/hub-error.ts";

/** The error of a request that needed the database while the hub cannot reach it. */
export function databaseUnavailable(cause: unknown): HubError {
  const error = new HubError("database-unavailable", {
    message:
      "The hub cannot reach its database. Retry in a few seconds. A change that was in progress may have taken effect.",
    headers: { "retry-after": "5" },
  });
  error.cause = cause;
  return error;
}
