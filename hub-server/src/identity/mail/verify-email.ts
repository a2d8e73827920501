import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { storeMail } from "../../platform/mail/outbox.ts";
import { deleteMailLinks, linkOver, mailLinkOf } from "./mail-links.ts";

/** Sends a link that verifies the address of a user, unless it is verified or missing. */
export async function requestVerification(
  database: Database,
  { settings, clock }: Hub,
  userId: number,
): Promise<void> {
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .where("email_verified_at", "is", null)
    .select("email")
    .executeTakeFirst();
  if (!user?.email) return;
  const mail = { kind: "verify", recipient: user.email, userId } as const;
  await storeMail(database, settings, { ...mail, now: clock() });
}

/** Marks the address of a signed-in user as verified. The link of another user does not work: its mail went to that user. */
export async function verifyEmail(
  { database, clock }: Hub,
  { userId, secret }: { readonly userId: number; readonly secret: string },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const now = clock();
    const user = await mailLinkOf(transaction, { purpose: "verify", secret, now });
    if (user?.id !== userId) throw linkOver();
    await deleteMailLinks(transaction, { purpose: "verify", userId });
    await transaction
      .updateTable("users")
      .set({ email_verified_at: now })
      .where("account_id", "=", userId)
      .execute();
  });
}
