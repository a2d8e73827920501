import { type Expression, expressionBuilder, sql, type SqlBool } from "kysely";

import { heldBy, reachedBy } from "../../access/permissions/permission-query.ts";
import { allows, mostOf } from "../../access/permissions/permissions.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Tables } from "../../platform/database/tables.ts";

/**
 * The versions that wait and that somebody may see: of packages that they may write to, and their own. A condition for
 * queries of `staged_versions` with the packages that are there already.
 */
export function visibleTo(identity: Identity): Expression<SqlBool> {
  const query = expressionBuilder<Tables, "staged_versions">();
  const name = query.ref("staged_versions.name");
  const isReached = reachedBy(identity, {
    name,
    scope: sql<string>`coalesce(substring(${name} from '^@([^/]+)/'), '')`,
  });
  // Of a package that is not there yet nobody was given anything: what counts is who will own it.
  const isHeld = heldBy(identity, {
    id: sql<number | null>`packages.id`,
    ownerId: sql<number>`coalesce(packages.owner_id, staged_versions.owner_id)`,
    wanted: "write",
  });
  const mayWrite = query.and([query.lit(allows(mostOf(identity.token), "write")), isHeld]);
  const isTheirs = query("staged_versions.staged_by", "=", identity.userId);
  return query.and([isReached, query.or([isTheirs, mayWrite])]);
}
