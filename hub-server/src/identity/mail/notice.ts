import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { storeMail } from "../../platform/mail/outbox.ts";

/** Notifies a user by e-mail of a change to the security of the account. Only a verified address receives notices. */
export async function storeNotice(
  database: Database,
  { settings, clock }: Hub,
  { userId, subject, text }: { userId: number; subject: string; text: string },
): Promise<void> {
  if (settings.HUB_SMTP_URL === undefined) return;
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .where("email_verified_at", "is not", null)
    .select("email")
    .executeTakeFirst();
  if (!user?.email) return;
  const mail = {
    kind: "notice",
    recipient: user.email,
    userId,
    detail: { subject, text },
  } as const;
  await storeMail(database, settings, { ...mail, now: clock() });
}
