import { randomUUID } from "node:crypto";

import type { Expression, ExpressionBuilder, SqlBool } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import type { Row, Tables } from "../../platform/database/tables.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";

/** Whom an invitation makes: an administrator, a member of an organisation, or just a user. */
export interface NewInvitation {
  readonly isAdmin?: boolean;
  readonly organisationId?: number;
  /** Null: the hub itself, which invites whoever starts it. */
  readonly invitedBy: number | null;
  readonly hours: number;
  readonly now: Date;
}

/** Makes an invitation, and the secret that opens it: it is told once, and not kept. */
export async function invite(
  database: Database,
  { isAdmin = false, organisationId, invitedBy, hours, now }: NewInvitation,
): Promise<{ readonly id: string; readonly secret: string; readonly expiresAt: Date }> {
  const [id, secret] = [randomUUID(), newSecret()];
  const expiresAt = new Date(now.getTime() + hours * 3_600_000);
  await database
    .insertInto("invitations")
    .values({
      id,
      secret_hash: secretHash(secret),
      is_admin: isAdmin,
      organisation_id: organisationId ?? null,
      invited_by: invitedBy,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute();
  return { id, secret, expiresAt };
}

/** The invitation that a secret opens, if nobody has used it, it has not expired, and who made it may still invite so. */
export async function openInvitation(
  database: Database,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Promise<Row<"invitations"> | undefined> {
  return await database
    .selectFrom("invitations")
    .where(isStillMeant)
    .where("secret_hash", "=", secretHash(secret))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .selectAll()
    .executeTakeFirst();
}

/** Marks an invitation as used; whether nobody was faster. */
export async function useInvitation(
  database: Database,
  { id, userId, now }: { readonly id: string; readonly userId: number; readonly now: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable("invitations")
    .set({ used_by: userId, used_at: now })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** By the hub itself, by an administrator, or by an owner of the organisation that it is for: as they are at this moment. */
function isStillMeant(row: ExpressionBuilder<Tables, "invitations">): Expression<SqlBool> {
  const inviter = row
    .selectFrom("users")
    .whereRef("users.account_id", "=", "invitations.invited_by")
    .where("users.disabled_at", "is", null)
    .select("users.account_id");
  const ownership = row
    .selectFrom("memberships")
    .whereRef("memberships.organisation_id", "=", "invitations.organisation_id")
    .whereRef("memberships.user_id", "=", "invitations.invited_by")
    .where("memberships.role", "=", "owner")
    .select("memberships.user_id");
  return row.or([
    row("invitations.invited_by", "is", null),
    row.exists(inviter.where("users.is_admin", "=", true)),
    row.and([row("invitations.is_admin", "=", false), row.exists(inviter), row.exists(ownership)]),
  ]);
}

/** The address of an invitation, on whichever host the hub has. */
export function invitationPath(secret: string): string {
  return `/invite/${secret}`;
}
