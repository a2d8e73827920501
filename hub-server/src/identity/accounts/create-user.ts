import * as z from "zod";

import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { checkAccountName } from "../../platform/names/account-name.ts";
import { checkPassword, passwordHash } from "../credentials/password.ts";
import { createAccount } from "./create-account.ts";
import { useInvitation } from "./invitations.ts";
import { joinOrganisation } from "./join-organisation.ts";

/** What a person says of a new account, and what entitles them to it. */
export interface NewUser {
  readonly name: string;
  readonly password: string;
  readonly email: string | undefined;
  /** Without one, only where registration is open. */
  readonly invitation?: Row<"invitations"> | undefined;
}

/** Makes a user. */
export async function createUser(
  hub: Hub,
  { name, password, email, invitation }: NewUser,
): Promise<number> {
  checkAccountName(name);
  checkPassword(password, { name });
  const hash = await passwordHash(password);
  return await change(hub, async ({ database, now, event }) => {
    const userId = await createAccount(database, { name, kind: "user", now });
    const made = await database
      .insertInto("users")
      .values({
        account_id: userId,
        email: emailAddress(email),
        password_hash: hash,
        is_admin: invitation?.is_admin ?? false,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("account_id")
      .executeTakeFirst();
    if (made === undefined) throw emailTaken();
    event({ type: "user.created", actor: name, subject: name });
    if (invitation === undefined) return userId;
    if (!(await useInvitation(database, { id: invitation.id, userId, now })))
      throw new HubError("invitation-used", {
        message: "This invitation was used a moment ago. Ask for another.",
      });
    if (invitation.organisation_id !== null)
      event(
        await joinOrganisation(database, {
          organisationId: invitation.organisation_id,
          user: { id: userId, name },
          invitedBy: invitation.invited_by,
          now,
        }),
      );
    return userId;
  });
}

/** An address as it is stored; null for none. */
export function emailAddress(text: string | undefined): string | null {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return null;
  if (trimmed.length <= 254 && z.email().safeParse(trimmed).success) return trimmed;
  throw new HubError("email-invalid", {
    message: "This is not an e-mail address. Write one such as name@example.com, or none.",
  });
}

/** Refuses an address that another account has. */
export async function checkEmailFree(
  database: Database,
  { email, userId }: { readonly email: string; readonly userId: number },
): Promise<void> {
  const other = await database
    .selectFrom("users")
    .where((row) => row.eb(row.fn<string>("lower", ["email"]), "=", email.toLowerCase()))
    .where("account_id", "!=", userId)
    .select("account_id")
    .executeTakeFirst();
  if (other !== undefined) throw emailTaken();
}

function emailTaken(): HubError {
  return new HubError("email-taken", {
    message: "Another account has this e-mail address. Take another, or none.",
  });
}
