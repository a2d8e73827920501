import { randomUUID } from "node:crypto";

import type { Expression, ExpressionBuilder, SqlBool } from "kysely";

import type { Database, Row, Tables } from "../../platform/database/tables.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";

/** The rights that an invitation gives to the new user, and its lifetime. */
export interface NewInvitation {
  readonly isAdmin?: boolean;
  readonly organisationId?: number;
  /** Null for the hub's own invitation of its first administrator. */
  readonly invitedBy: number | null;
  readonly hours: number;
  readonly now: Date;
}

/** Creates an invitation. The database stores only the hash of the returned secret. */
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

/** Finds an invitation if it is unused and not expired, and its inviter may still grant its rights. */
export async function openInvitation(
  database: Database,
  { now, ...key }: ({ readonly secret: string } | { readonly id: string }) & { readonly now: Date },
): Promise<Row<"invitations"> | undefined> {
  return await database
    .selectFrom("invitations")
    .where(isStillAuthorized)
    .where((row) =>
      "id" in key ? row("id", "=", key.id) : row("secret_hash", "=", secretHash(key.secret)),
    )
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .selectAll()
    .executeTakeFirst();
}

/** Marks an invitation as used. Returns false if a concurrent request used it, or another link of the first account, first. */
export async function useInvitation(
  database: Database,
  {
    invitation: { id, invited_by },
    userId,
    now,
  }: {
    readonly invitation: Row<"invitations">;
    readonly userId: number;
    readonly now: Date;
  },
): Promise<boolean> {
  if (invited_by === null) await lockFirstLinks(database);
  const { numUpdatedRows } = await database
    .updateTable("invitations")
    .set({ used_by: userId, used_at: now })
    .where("id", "=", id)
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  if (invited_by === null && numUpdatedRows === 1n)
    await database
      .deleteFrom("invitations")
      .where("invited_by", "is", null)
      .where("used_at", "is", null)
      .execute();
  return numUpdatedRows === 1n;
}

/** Two links of the first account that are used at once would create two administrators. */
async function lockFirstLinks(database: Database): Promise<void> {
  await database
    .selectFrom("invitations")
    .where("invited_by", "is", null)
    .select("id")
    .orderBy("id")
    .forUpdate()
    .execute();
}

/** Whether the inviter is, at this moment, the hub itself, an administrator, or an owner of the invitation's organisation. */
function isStillAuthorized(row: ExpressionBuilder<Tables, "invitations">): Expression<SqlBool> {
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

/** The path of an invitation's page. */
export function invitationPath(secret: string): string {
  return `/invite/${secret}`;
}
