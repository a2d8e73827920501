import type { Hub } from "../../platform/hub/hub.ts";
import { storeMail } from "../../platform/mail/outbox.ts";
import { countAttempt } from "../credentials/attempts.ts";
import { deleteMailLinks, linkOver, mailLinkOf } from "../mail/mail-links.ts";
import { setPassword } from "./profile.ts";

/**
 * Sends a link to the verified address of an account, if there is one. Does not report whether there is, and limits requests for an
 * address alike.
 */
export async function requestReset(
  hub: Hub,
  { email, address }: { readonly email: string; readonly address: string },
): Promise<void> {
  const subject = email.trim().toLowerCase().slice(0, 254);
  await countAttempt(hub, { kind: "reset", subject, address });
  const { database, settings, clock } = hub;
  const user = await database
    .selectFrom("users")
    .where((row) => row.eb(row.fn<string>("lower", ["email"]), "=", subject))
    .where("email_verified_at", "is not", null)
    .where("disabled_at", "is", null)
    .select(["account_id", "email"])
    .executeTakeFirst();
  if (!user?.email) return;
  const mail = { kind: "reset", recipient: user.email, userId: user.account_id } as const;
  await storeMail(database, settings, { ...mail, now: clock() });
}

/** Finds the user of a reset link; throws if the link is over. */
export async function userOfReset(
  hub: Hub,
  { secret, address }: { readonly secret: string; readonly address: string },
): Promise<{ readonly id: number; readonly name: string }> {
  const succeed = await countAttempt(hub, { kind: "invitation", address });
  const user = await mailLinkOf(hub.database, { purpose: "reset", secret, now: hub.clock() });
  if (user === undefined) throw linkOver();
  await succeed();
  return user;
}

/** Sets the password of a reset link's user, which ends all sessions and tokens. The second factor stays. */
export async function resetPassword(
  hub: Hub,
  { password, ...link }: Parameters<typeof userOfReset>[1] & { readonly password: string },
): Promise<void> {
  const user = await userOfReset(hub, link);
  await setPassword(hub, user, {
    password,
    async guard(database) {
      if (!(await deleteMailLinks(database, { purpose: "reset", userId: user.id })))
        throw linkOver();
    },
  });
}
