import { isHubRequestError } from "@envs/hub-client";

import type { Connection } from "../connection/connect.ts";

/** Whether a hub says that a package is in the archive. One that is not there is not; other registries have no archive. */
export async function isArchived(
  { client }: Pick<Connection, "client">,
  name: string,
): Promise<boolean> {
  try {
    return (await client.readPackage({ name })).isArchived;
  } catch (error) {
    if (isHubRequestError(error)) return false;
    throw error;
  }
}
