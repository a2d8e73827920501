import type { Hub } from "../hub.ts";
import { invitationPath, invite } from "./invitations.ts";

const hours = 24;

/**
 * The address of the page that makes the first account of a hub, its administrator; undefined once there is a user. A
 * link of an earlier start no longer opens anything.
 */
export async function firstAccountLink({ database, clock }: Hub): Promise<string | undefined> {
  return await database.transaction().execute(async (transaction) => {
    const user = await transaction
      .selectFrom("users")
      .select("account_id")
      .limit(1)
      .executeTakeFirst();
    if (user !== undefined) return undefined;
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
