import { isHubRequestError } from "@envs/hub-client";

/** Waits for a response of a hub. If its status is 404, returns or throws what `instead` does. */
export async function ifNotFound<Body, Instead>(
  response: Promise<Body>,
  instead: () => Instead,
): Promise<Body | Instead> {
  try {
    return await response;
  } catch (error) {
    if (isHubRequestError(error) && error.status === 404) return instead();
    throw error;
  }
}
