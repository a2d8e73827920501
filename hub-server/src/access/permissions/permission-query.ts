import { type Expression, expressionBuilder, type SqlBool } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Tables } from "../../platform/database/tables.ts";

/** Whether a token is for a package: {@link reaches}, as a condition. */
export function reachedBy(
  { token: { packages, scopes } }: Identity,
  { name, scope }: { readonly name: Expression<string>; readonly scope: Expression<string> },
): Expression<SqlBool> {
  const query = expressionBuilder<Tables>();
  if (packages === null && scopes === null) return query.lit(true);
  return query.or([
    query(name, "=", query.fn.any(query.val([...(packages ?? [])]))),
    query(scope, "=", query.fn.any(query.val([...(scopes ?? [])]))),
  ]);
}

/** Which package, and for what; the id is null of one that is not there yet. */
interface Held {
  readonly id: Expression<number | null>;
  readonly ownerId: Expression<number>;
  readonly wanted: "read" | "write";
}

/**
 * Whether a user may do that with a package, whatever their token is for: the reasons of {@link permissionFor}, as a
 * condition. Developers of an organisation may do what their teams may.
 */
export function heldBy(
  { userId, isAdmin }: Pick<Identity, "userId" | "isAdmin">,
  { id, ownerId, wanted }: Held,
): Expression<SqlBool> {
  const query = expressionBuilder<Tables>();
  if (isAdmin) return query.lit(true);
  const enough = wanted === "write" ? (["write"] as const) : (["read", "write"] as const);
  return query.or([
    query(ownerId, "=", userId),
    query.exists(
      query
        .selectFrom("memberships")
        .where("memberships.organisation_id", "=", ownerId)
        .where("memberships.user_id", "=", userId)
        .where("memberships.role", "in", ["owner", "admin"])
        .select("memberships.user_id"),
    ),
    query.exists(
      query
        .selectFrom("package_users")
        .where("package_users.package_id", "=", id)
        .where("package_users.user_id", "=", userId)
        .where("package_users.permission", "in", enough)
        .select("package_users.user_id"),
    ),
    query.exists(
      query
        .selectFrom("team_packages")
        .innerJoin("team_members", "team_members.team_id", "team_packages.team_id")
        .where("team_packages.package_id", "=", id)
        .where("team_members.user_id", "=", userId)
        .where("team_packages.permission", "in", enough)
        .select("team_members.user_id"),
    ),
  ]);
}
