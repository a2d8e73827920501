import type { Hub } from "../../platform/hub/hub.ts";
import { invitationPath, invite } from "./invitations.ts";

const hours = 24;

/**
 * Returns the path of the page that creates the hub's first account, an administrator, or undefined if an administrator
 * exists. Invalidates the links of earlier starts.
 */
export async function firstAccountLink({ database, clock }: Hub): Promise<string | undefined> {
  return await database.transaction().execute(async (transaction) => {
    const administrator = await transaction
      .selectFrom("users")
      .where("is_admin", "=", true)
      .select("account_id")
      .limit(1)
      .executeTakeFirst();
    if (administrator !== undefined) return undefined;
    await transaction.deleteFrom("invitations").where("invited_by", "is", null).execute();
    const { secret } = await invite(transaction, {
      isAdmin: true,
      invitedBy: null,
      hours,
      now: clock(),
    });
    return invitationPath(secret);
  });
}
