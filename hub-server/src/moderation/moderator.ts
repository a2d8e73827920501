import { sql } from "kysely";

import { hasGrant } from "../access/permissions/permission-query.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Database } from "../platform/database/tables.ts";
import { forbidden, HubError } from "../platform/errors/hub-error.ts";
import type { Target } from "./target.ts";

/** Whether a user decides reports: administrators, and the moderators that they appointed. */
export async function isModerator(
  database: Database,
  { userId, isAdmin }: Pick<Identity, "userId" | "isAdmin">,
): Promise<boolean> {
  if (isAdmin) return true;
  const row = await database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .where("is_moderator", "=", true)
    .select("account_id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Rejects users who are not moderators. */
export async function requireModerator(database: Database, identity: Identity): Promise<void> {
  if (await isModerator(database, identity)) return;
  throw forbidden("Only moderators of this hub decide reports. Administrators appoint them.");
}

/**
 * Rejects a decision of a moderator about themselves or what they own, and suspensions of administrators. Only
 * administrators suspend a moderator.
 */
export async function requireNeutral(
  database: Database,
  identity: Identity,
  target: Target,
): Promise<void> {
  if (await isOwn(database, identity, target))
    throw notNeutral(
      `${identity.name} has rights on ${target.subject}, so another moderator must decide.`,
    );
  if (target.kind !== "user") return;
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", Number(target.id))
    .select(["is_admin", "is_moderator"])
    .executeTakeFirst();
  if (user?.is_admin === true)
    throw notNeutral(
      `${target.subject} is an administrator of this hub. Another administrator must remove these rights first.`,
    );
  if (user?.is_moderator === true && !identity.isAdmin)
    throw notNeutral(`${target.subject} is a moderator, so an administrator must decide.`);
}

async function isOwn(
  database: Database,
  identity: Identity,
  { ownerId, packageId }: Target,
): Promise<boolean> {
  if (ownerId === identity.userId) return true;
  if (packageId === undefined) return false;
  const grant = hasGrant(
    { ...identity, isAdmin: false },
    { packageId: sql`${packageId}::bigint`, required: "write" },
  );
  const row = await database.selectNoFrom(grant.as("isGranted")).executeTakeFirst();
  return row?.isGranted === true;
}

export function notNeutral(message: string): HubError {
  return new HubError("moderator-not-neutral", { message });
}
