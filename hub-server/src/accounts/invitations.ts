import { randomUUID } from "node:crypto";

import type { Database } from "../database/connect.ts";
import type { Row } from "../database/tables.ts";
import { newSecret, secretHash } from "../tokens/secret.ts";

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

/** The invitation that a secret opens, if nobody has used it and it has not expired. */
export async function openInvitation(
  database: Database,
  { secret, now }: { readonly secret: string; readonly now: Date },
): Promise<Row<"invitations"> | undefined> {
  return await database
    .selectFrom("invitations")
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

/** The address of an invitation, on whichever host the hub has. */
export function invitationPath(secret: string): string {
  return `/invite/${secret}`;
}
