import { type Expression, expressionBuilder, type SqlBool } from "kysely";

import type { Identity } from "../accounts/identity.ts";
import type { Tables } from "../database/tables.ts";

/** The packages that an identity may read, as a condition for queries that have the table `packages`: {@link permissionFor}, for many. */
export function readableBy(identity: Identity | undefined): Expression<SqlBool> {
  const query = expressionBuilder<Tables, "packages">();
  const isPublic = query("packages.access", "=", "public");
  if (identity === undefined) return isPublic;
  const isReached = reached(identity);
  const isHeld = identity.isAdmin ? query.lit(true) : held(identity.userId);
  return query.or([isPublic, query.and([isReached, isHeld])]);
}

function reached({ token: { packages, scopes } }: Identity): Expression<SqlBool> {
  const query = expressionBuilder<Tables, "packages">();
  if (packages === null && scopes === null) return query.lit(true);
  return query.or([
    query("packages.name", "=", query.fn.any(query.val([...(packages ?? [])]))),
    query("packages.scope", "=", query.fn.any(query.val([...(scopes ?? [])]))),
  ]);
}

/** The reasons of {@link permissionFor}; developers of an organisation read what their teams do. */
function held(userId: number): Expression<SqlBool> {
  const query = expressionBuilder<Tables, "packages">();
  return query.or([
    query("packages.owner_id", "=", userId),
    query.exists(
      query
        .selectFrom("memberships")
        .whereRef("memberships.organisation_id", "=", "packages.owner_id")
        .where("memberships.user_id", "=", userId)
        .where("memberships.role", "in", ["owner", "admin"])
        .select("memberships.user_id"),
    ),
    query.exists(
      query
        .selectFrom("package_users")
        .whereRef("package_users.package_id", "=", "packages.id")
        .where("package_users.user_id", "=", userId)
        .select("package_users.user_id"),
    ),
    query.exists(
      query
        .selectFrom("team_packages")
        .innerJoin("team_members", "team_members.team_id", "team_packages.team_id")
        .whereRef("team_packages.package_id", "=", "packages.id")
        .where("team_members.user_id", "=", userId)
        .select("team_members.user_id"),
    ),
  ]);
}
