import type { Hub } from "../../platform/hub/hub.ts";
import { invitationPath, invite } from "./invitations.ts";

const hours = 24;

/**
 * Returns the path of a page that creates the hub's first account, an administrator, or undefined if an administrator
 * exists. Each replica has its own link; the first one that is used ends the others.
 */
export async function firstAccountLink({ database, clock }: Hub): Promise<string | undefined> {
  const administrator = await database
    .selectFrom("users")
    .where("is_admin", "=", true)
    .select("account_id")
    .limit(1)
    .executeTakeFirst();
  if (administrator !== undefined) return undefined;
  const { secret } = await invite(database, {
    isAdmin: true,
    invitedBy: null,
    hours,
    now: clock(),
  });
  return invitationPath(secret);
}
