import { type RawBuilder, sql } from "kysely";
import * as z from "zod";

import {
  administers,
  hasGrant,
  inTokenScope,
  type Permission,
  tokenAllows,
} from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database, Row } from "../../platform/database/tables.ts";
import { forbidden, notFound } from "../../platform/errors/hub-error.ts";

/** A version that waits for approval, without its large columns. */
export interface StagedVersion extends Omit<Row<"staged_versions">, "attestations" | "hints"> {
  /** The name of the user who staged it. */
  readonly actor: string | null;
  /** Null while the package does not exist. */
  readonly packageId: number | null;
}

/** The permissions of a user on a staged version. */
interface StagedRights {
  readonly mayApprove: boolean;
  readonly mayReject: boolean;
}

interface Page {
  /** Limits the list to one package. */
  readonly name?: string | undefined;
  /** Limits the list to the packages of one npm scope. Without the `@`. */
  readonly scope?: string | undefined;
  readonly page: number;
  readonly perPage: number;
}

/** A page of the staged versions that a user may see, newest first, and the number of all. */
export async function stagedPage(
  database: Database,
  identity: Identity,
  { name, scope, page, perPage }: Page,
): Promise<{ readonly items: readonly StagedVersion[]; readonly total: number }> {
  const visible = visibleVersions(database, identity);
  const versions = visible
    .$if(name !== undefined, (query) => query.where("staged_versions.name", "=", name ?? ""))
    .$if(scope !== undefined, (query) => query.where(scopeOfStaged, "=", scope ?? ""));
  const { total } = await versions
    .select(({ fn }) => fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await withColumns(versions)
    .orderBy("staged_versions.created_at", "desc")
    .orderBy("staged_versions.id")
    .offset(page * perPage)
    .limit(perPage)
    .execute();
  return { items, total };
}

/**
 * Returns a staged version that a user may see. Only administrators of the package may approve it, and only they and the
 * user who staged it may reject it.
 */
export async function requireStaged(
  database: Database,
  identity: Identity,
  { id, action }: { readonly id: string; readonly action: "read" | "approve" | "reject" },
): Promise<StagedVersion & StagedRights> {
  const row = z.uuid().safeParse(id).success
    ? await withColumns(visibleVersions(database, identity))
        .select(hasPermissionOnStaged(identity, "admin").as("mayApprove"))
        .where("staged_versions.id", "=", id)
        .executeTakeFirst()
    : undefined;
  if (row === undefined) throw notFound(`The staged version ${id.slice(0, 50)}`);
  const staged = { ...row, mayReject: row.mayApprove || row.staged_by === identity.userId };
  const isAllowed = { read: true, approve: staged.mayApprove, reject: staged.mayReject };
  if (isAllowed[action]) return staged;
  throw forbidden(
    `${identity.name} may not ${action} ${staged.name}@${staged.version}, because only owners of the package may. List them: npm owner ls ${staged.name}`,
  );
}

/** The npm scope of a staged version's package; empty without one. */
const scopeOfStaged = sql<string>`coalesce(substring(staged_versions.name from '^@([^/]+)/'), '')`;

/** Users see their own staged versions, and those of packages that they may write to. */
function visibleVersions(database: Database, identity: Identity) {
  const isVisible = sql<boolean>`
    (staged_versions.staged_by = ${identity.userId} and ${isInScope(identity)}
    or ${hasPermissionOnStaged(identity, "write")})`;
  return database
    .selectFrom("staged_versions")
    .leftJoin("packages", "packages.name", "staged_versions.name")
    .leftJoin("accounts", "accounts.id", "staged_versions.staged_by")
    .where(isVisible);
}

/** Like `hasPermission`, also for packages that do not exist yet: their future owner administers them. */
function hasPermissionOnStaged(identity: Identity, required: Permission): RawBuilder<boolean> {
  if (!tokenAllows(identity, required)) return sql`false`;
  const ownerId = sql`coalesce(packages.owner_id, staged_versions.owner_id)`;
  const isGranted = hasGrant(identity, { packageId: sql`packages.id`, required });
  return sql`(${isInScope(identity)} and (${isGranted} or ${administers(identity, ownerId)}))`;
}

function isInScope(identity: Identity): RawBuilder<boolean> {
  return inTokenScope(identity, {
    name: sql`staged_versions.name`,
    scope: scopeOfStaged,
  });
}

function withColumns(query: ReturnType<typeof visibleVersions>) {
  return query
    .select(["staged_versions.id", "staged_versions.name", "staged_versions.version"])
    .select(["staged_versions.tag", "staged_versions.access", "staged_versions.blob"])
    .select(["staged_versions.shasum", "staged_versions.size", "staged_versions.owner_id"])
    .select(["staged_versions.staged_by", "staged_versions.actor_type"])
    .select("staged_versions.created_at")
    .select(["accounts.name as actor", "packages.id as packageId"]);
}
