import type { Database, Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";

type MailLink = Row<"mail_links">;

const hour = 3_600_000;
const hours = { reset: 1, verify: 48 };

/** Creates a one-time link for a mail. The database stores only the hash of the returned secret. */
export async function createMailLink(
  database: Database,
  {
    purpose,
    userId,
    email,
    now,
  }: Pick<MailLink, "purpose" | "email"> & { userId: number; now: Date },
): Promise<string> {
  const secret = newSecret();
  const expires_at = new Date(now.getTime() + hours[purpose] * hour);
  await database
    .insertInto("mail_links")
    .values({ secret_hash: secretHash(secret), purpose, user_id: userId, email, expires_at })
    .execute();
  return secret;
}

/** Finds the link of a secret, if it is valid and the user still has the address. */
export async function mailLinkOf(
  database: Database,
  {
    purpose,
    secret,
    now,
  }: Pick<MailLink, "purpose"> & { readonly secret: string; readonly now: Date },
): Promise<{ readonly id: number; readonly name: string } | undefined> {
  return await database
    .selectFrom("mail_links")
    .innerJoin("users", "users.account_id", "mail_links.user_id")
    .innerJoin("accounts", "accounts.id", "mail_links.user_id")
    .where("secret_hash", "=", secretHash(secret))
    .where("purpose", "=", purpose)
    .where("expires_at", ">", now)
    .where("disabled_at", "is", null)
    .whereRef("users.email", "=", "mail_links.email")
    .select(["accounts.id", "accounts.name"])
    .executeTakeFirst();
}

/** Deletes the links of a user for one purpose. Returns false if a concurrent request did so first. */
export async function deleteMailLinks(
  database: Database,
  { purpose, userId }: Pick<MailLink, "purpose"> & { readonly userId: number },
): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom("mail_links")
    .where("user_id", "=", userId)
    .where("purpose", "=", purpose)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The error of a link in a mail that cannot be used. */
export function linkOver(): HubError {
  return new HubError("mail-link-over", {
    message:
      "This link was used already or has expired, or the account has another address now. Request a new one.",
  });
}
