import * as z from "zod";

import type { Database, Row } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { HubEvent } from "../../platform/hub/event-log.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { checkAccountName } from "../../platform/names/account-name.ts";
import { addIdentity } from "../credentials/identities.ts";
import { checkPassword, passwordHash } from "../credentials/password.ts";
import { requestVerification } from "../mail/verify-email.ts";
import { addMember } from "./add-member.ts";
import { createAccount } from "./create-account.ts";
import { useInvitation } from "./invitations.ts";

/** The sign-up form's fields and the invitation. */
interface NewUser {
  readonly name: string;
  /** Without a password, the user signs in with the identity. */
  readonly password?: string;
  readonly email: string | undefined;
  /** Whether a provider has verified the address. */
  readonly isVerified?: boolean;
  readonly fullName?: string;
  readonly identity?: Parameters<typeof addIdentity>[1]["identity"];
  /** Required unless registration is open. */
  readonly invitation?: Row<"invitations"> | undefined;
}

/** Creates a user, marks the invitation as used and joins its organisation, in one transaction. Returns the user's id. */
export async function createUser(
  hub: Hub,
  { name, password, email, isVerified = false, fullName, identity, invitation }: NewUser,
): Promise<number> {
  checkAccountName(name);
  if (password !== undefined) checkPassword(password, { name });
  const hash = password === undefined ? null : await passwordHash(password);
  return await change(hub, async ({ database, now, event }) => {
    const userId = await createAccount(database, { name, kind: "user", now });
    const user = await database
      .insertInto("users")
      .values({
        account_id: userId,
        email: emailAddress(email),
        email_verified_at: isVerified ? now : null,
        full_name: fullName ?? "",
        password_hash: hash,
        is_admin: invitation?.is_admin ?? false,
        updated_at: now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("account_id")
      .executeTakeFirst();
    if (user === undefined) throw emailTaken();
    if (identity !== undefined) await addIdentity(database, { identity, userId, now });
    await requestVerification(database, hub, userId);
    event({ type: "user.created", actor: name, subject: name });
    if (invitation === undefined) return userId;
    if (!(await useInvitation(database, { invitation, userId, now })))
      throw new HubError("invitation-used", {
        message: "This invitation has already been used. Ask for a new one.",
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

/** Trims and validates an e-mail address; returns null for an empty text. */
export function emailAddress(text: string | undefined): string | null {
  const trimmed = text?.trim() ?? "";
  if (trimmed === "") return null;
  if (trimmed.length <= 254 && z.email().safeParse(trimmed).success) return trimmed;
  throw new HubError("email-invalid", {
    message: "The e-mail address is invalid. Use one such as name@example.com, or leave it empty.",
  });
}

/** Throws if another account has this address, compared without case. */
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
    message: "Another account has this e-mail address. Use another one, or leave it empty.",
  });
}

/** Makes an invited user a developer of the organisation. Returns the event to append. */
async function joinOrganisation(
  database: Database,
  {
    organisationId,
    user,
    invitedBy,
    now,
  }: {
    readonly organisationId: number;
    readonly user: { readonly id: number; readonly name: string };
    readonly invitedBy: number | null;
    readonly now: Date;
  },
): Promise<HubEvent> {
  const role = "developer";
  await addMember(database, { organisationId, userId: user.id, role, now });
  const organisation = await database
    .selectFrom("accounts")
    .where("id", "=", organisationId)
    .select("name")
    .executeTakeFirstOrThrow();
  const inviter = await database
    .selectFrom("accounts")
    .where("id", "=", invitedBy)
    .select("name")
    .executeTakeFirst();
  return {
    type: "member.added",
    actor: inviter?.name ?? user.name,
    subject: organisation.name,
    detail: { user: user.name, role },
    organisationId,
  };
}
