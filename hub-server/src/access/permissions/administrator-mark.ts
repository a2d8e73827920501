import { sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { administers, hasGrant, type Permission } from "./permission-query.ts";

/** What an event log entry states about its actor. */
interface AdministratorMark {
  /** Whether the actor had the right only as an administrator of the hub. */
  readonly byAdministrator?: true;
}

/** Marks an event of a package if only the rights of an administrator of the hub allow the change. The owners see the mark. */
export async function administratorMark(
  database: Database,
  identity: Identity,
  { packageId, required }: { readonly packageId: number; readonly required: Permission },
): Promise<AdministratorMark> {
  if (!identity.isAdmin) return {};
  const user = { ...identity, isAdmin: false };
  const own = hasGrant(user, { packageId: sql`${packageId}::bigint`, required });
  return await markUnless(database, own);
}

/** Like {@link administratorMark}, for a new package in the scope of an account. */
export async function scopeMark(
  database: Database,
  identity: Identity,
  ownerId: number,
): Promise<AdministratorMark> {
  if (!identity.isAdmin) return {};
  const administered = administers({ ...identity, isAdmin: false }, sql`${ownerId}::bigint`);
  const isMember = sql`exists (
    select from memberships where organisation_id = ${ownerId} and user_id = ${identity.userId}
  )`;
  return await markUnless(database, sql<boolean>`(${administered} or ${isMember})`);
}

async function markUnless(
  database: Database,
  isOwn: ReturnType<typeof hasGrant>,
): Promise<AdministratorMark> {
  const row = await database.selectNoFrom(isOwn.as("isOwn")).executeTakeFirst();
  return row?.isOwn === true ? {} : { byAdministrator: true };
}
