import type { HubErrorCode } from "@envs/hub-client/error-reference";

import { HubError } from "../../src/platform/errors/hub-error.ts";

/** The code of the `HubError` that `run` throws. Throws if `run` throws nothing or another error. */
export async function errorCodeOf(run: () => unknown): Promise<HubErrorCode> {
  const outcome = await resultOrError(run);
  if (outcome instanceof HubError) return outcome.code;
  throw new Error("Expected a HubError, but the call succeeded.");
}

/** The result of `run`, or the `HubError` that it throws. */
export async function resultOrError(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
}
