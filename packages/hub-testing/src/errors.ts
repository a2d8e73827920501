import type { HubErrorCode } from "@envs/hub-client/error-reference";
import { HubError } from "@envs/hub-server/src/platform/errors/hub-error.ts";

/** The code with which something is refused; fails if it is accepted, or fails in another way. */
export async function errorCodeOf(what: () => unknown): Promise<HubErrorCode> {
  const outcome = await resultOrError(what);
  if (outcome instanceof HubError) return outcome.code as HubErrorCode;
  throw new Error("It is accepted.");
}

/** The refusal, or what was accepted. Anything else that is thrown is a defect, and thrown on. */
export async function resultOrError(what: () => unknown): Promise<unknown> {
  try {
    return await what();
  } catch (error) {
    if (error instanceof HubError) return error;
    throw error;
  }
}
