import type { Hub } from "../../platform/hub/hub.ts";
import type { LeasedMail } from "../../platform/mail/outbox.ts";
import type { MailContent } from "../../platform/mail/send-mails.ts";
import { createMailLink } from "./mail-links.ts";

/** Renders a mail and creates the link in it. Returns undefined if the user no longer has the address. */
export async function renderMail(
  { database, settings, clock }: Hub,
  { kind, user_id: userId, recipient, detail }: LeasedMail,
): Promise<MailContent | undefined> {
  const origin = settings.HUB_URL ?? "";
  const host = new URL(origin).host;
  const user = await database
    .selectFrom("users")
    .innerJoin("accounts", "accounts.id", "users.account_id")
    .where("account_id", "=", userId)
    .select(["name", "email", "email_verified_at"])
    .executeTakeFirst();
  if (user === undefined) return undefined;
  const account = `your account ${user.name} on ${host}`;
  if (kind === "notice")
    return content(`${detail.subject ?? ""} (${user.name} on ${host})`, [
      `${detail.text ?? ""} This concerns ${account}.`,
      `If this was not you, change your password, end your other sessions and revoke your tokens: ${origin}/settings`,
    ]);
  const isVerified = user.email_verified_at !== null;
  if (user.email !== recipient || (kind === "verify") === isVerified) return undefined;
  const link = { purpose: kind, userId, email: recipient, now: clock() };
  const secret = await createMailLink(database, link);
  return kind === "verify"
    ? content(`Verify your address for ${host}`, [
        `Verify that this is the address of ${account}. The link works for two days, in a browser in which you are signed in:`,
        `${origin}/verify/${secret}`,
        "If you do not have this account, ignore this mail.",
      ])
    : content(`Reset your password for ${host}`, [
        `Choose a new password for ${account}. The link works once, within an hour:`,
        `${origin}/reset/${secret}`,
        "If you did not ask for it, ignore this mail: your password stays as it is.",
      ]);
}

/** A mail as text and as HTML with the same paragraphs. */
function content(subject: string, paragraphs: readonly string[]): MailContent {
  const html = paragraphs.map((text) => `<p>${linked(escaped(text))}</p>`).join("\n");
  return { subject, text: `${paragraphs.join("\n\n")}\n`, html };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function linked(html: string): string {
  return html.replaceAll(/https?:\/\/[^\s"<>]+/g, '<a href="$&">$&</a>');
}
