import { type RawBuilder, sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** The users who administer an account: the user itself, and the owners and admins of an organisation. */
const accountAdmins = sql`(
  select account_id, account_id as user_id from users
  union all
  select organisation_id, user_id from memberships where role in ('owner', 'admin')
) as account_admins`;

/**
 * All permissions of users on packages, as rows: `read`, `write` or `admin`, once per reason. Developers of an
 * organisation have only the permissions of their teams. Public packages and the hub's administrators need no row.
 */
export const grants = sql`(
  select packages.id as package_id, account_admins.user_id, 'admin' as permission
  from packages join ${accountAdmins} on account_admins.account_id = packages.owner_id
  union all
  select package_id, user_id, permission from package_users
  union all
  select package_id, user_id, permission from team_packages join team_members using (team_id)
) as grants`;

/**
 * Whether an identity has a permission on a package. This is the hub's only permission rule: a condition for queries
 * that read the table `packages`, be it one row or many.
 */
export function hasPermission(
  identity: Identity | undefined,
  required: Permission,
): RawBuilder<boolean> {
  const isPublic =
    required === "read"
      ? sql`packages.access = 'public' and (packages.restriction is null or ${isModerator(identity)})`
      : sql`false`;
  if (identity === undefined || !tokenAllows(identity, required)) return sql`(${isPublic})`;
  const isInScope = inTokenScope(identity, {
    name: sql`packages.name`,
    scope: sql`packages.scope`,
  });
  const isGranted = hasGrant(identity, { packageId: sql`packages.id`, required });
  return sql`(${isPublic} or (${isInScope} and ${isGranted}))`;
}

/** Moderators read the public packages that they have quarantined or taken down. */
function isModerator(identity: Identity | undefined): RawBuilder<boolean> {
  if (identity === undefined) return sql`false`;
  return sql`exists (
    select from users where users.account_id = ${identity.userId} and users.is_moderator
  )`;
}

export function readableBy(identity: Identity | undefined): RawBuilder<boolean> {
  return hasPermission(identity, "read");
}

/** Whether the identity's user has a permission on a package, regardless of the token. */
export function hasGrant(
  { userId, isAdmin }: Identity,
  {
    packageId,
    required,
  }: { readonly packageId: RawBuilder<unknown>; readonly required: Permission },
): RawBuilder<boolean> {
  if (isAdmin) return sql`true`;
  const sufficient = sql.join(permissionsFrom(required).map((permission) => sql.lit(permission)));
  return sql`exists (
    select from ${grants}
    where grants.package_id = ${packageId} and grants.user_id = ${userId} and permission in (${sufficient})
  )`;
}

/** Whether the identity's user administers an account, and therefore every package that the account will own. */
export function administers(
  { userId, isAdmin }: Identity,
  accountId: RawBuilder<unknown>,
): RawBuilder<boolean> {
  if (isAdmin) return sql`true`;
  return sql`exists (
    select from ${accountAdmins}
    where account_admins.account_id = ${accountId} and account_admins.user_id = ${userId}
  )`;
}

/** In this order, each permission includes those before it. Only `admin` may change other users' permissions. */
const permissions = ["read", "stage", "publish", "write", "admin"] as const;

/** `stage` and `publish` exist for the tokens of trusted publishers, which may do nothing else. */
export type Permission = (typeof permissions)[number];

/** The permissions that include `required`. */
function permissionsFrom(required: Permission): readonly Permission[] {
  return permissions.slice(permissions.indexOf(required));
}

/** Whether the token's permissions include `required`. Its token scope and its user's permissions limit it further. */
export function tokenAllows({ token }: Identity, required: Permission): boolean {
  return permissionsFrom(required).includes(maxPermission(token));
}

function maxPermission({ readonly, permissions }: Identity["token"]): Permission {
  if (readonly) return "read";
  if (permissions === null) return "admin";
  if (permissions.includes("createPackage")) return "publish";
  return permissions.includes("createStagedPackage") ? "stage" : "read";
}

/** A package's name, and its npm scope without the `@`; the scope is empty for a name without one. */
interface ScopedName {
  readonly name: string;
  readonly scope: string;
}

/** Whether a token's scope includes a package, as an SQL condition. A token without limits includes all packages. */
export function inTokenScope(
  { token: { packages, scopes } }: Identity,
  { name, scope }: { readonly name: RawBuilder<unknown>; readonly scope: RawBuilder<unknown> },
): RawBuilder<boolean> {
  if (packages === null && scopes === null) return sql`true`;
  return sql`(${name} = any(${[...(packages ?? [])]}::text[]) or ${scope} = any(${[...(scopes ?? [])]}::text[]))`;
}

/** Rejects a package outside the token's scope. The error does not reveal whether the package exists. */
export async function requireTokenScope(
  database: Database,
  identity: Identity,
  { name, scope }: ScopedName,
): Promise<void> {
  if (identity.token.packages === null && identity.token.scopes === null) return;
  const isInScope = inTokenScope(identity, {
    name: sql`${name}::text`,
    scope: sql`${scope}::text`,
  });
  const row = await database.selectNoFrom(isInScope.as("isInScope")).executeTakeFirst();
  if (row?.isInScope === true) return;
  throw new HubError("token-out-of-reach", {
    message: `This token's scope does not include ${name}. Create a token for it: npm token create`,
  });
}
