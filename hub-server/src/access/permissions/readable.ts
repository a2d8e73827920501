import { type Expression, expressionBuilder, type SqlBool } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Tables } from "../../platform/database/tables.ts";
import { heldBy, reachedBy } from "./permission-query.ts";

/** The packages that an identity may read, as a condition for queries that have the table `packages`: {@link permissionFor}, for many. */
export function readableBy(identity: Identity | undefined): Expression<SqlBool> {
  const query = expressionBuilder<Tables, "packages">();
  const isPublic = query("packages.access", "=", "public");
  if (identity === undefined) return isPublic;
  const isReached = reachedBy(identity, {
    name: query.ref("packages.name"),
    scope: query.ref("packages.scope"),
  });
  const isHeld = heldBy(identity, {
    id: query.ref("packages.id"),
    ownerId: query.ref("packages.owner_id"),
    wanted: "read",
  });
  return query.or([isPublic, query.and([isReached, isHeld])]);
}
