import * as z from "zod";

import { allows, type Permission, permissionFor } from "../access/permissions.ts";
import { reaches } from "../access/reach.ts";
import type { Identity } from "../accounts/identity.ts";
import type { Database } from "../database/connect.ts";
import type { Row } from "../database/tables.ts";
import { forbidden, notFound } from "../http/errors.ts";
import { packageName } from "../names/package-name.ts";

/** A version that waits for approval, and what somebody may do with it; what came with it is large, and left out. */
export interface Staged extends Omit<Row<"staged_versions">, "attestations" | "hints"> {
  /** Who staged it. */
  readonly actor: string | null;
  /** The package, if it is there already. */
  readonly packageId: number | null;
  readonly permission: Permission;
}

/** Which of them: those of a package, or one. */
type Wanted = { readonly name: string } | { readonly id: string } | undefined;

/** The versions that wait and that somebody may see, the newest first: of packages that they may write to, and their own. */
export async function stagedFor(
  database: Database,
  identity: Identity,
  wanted?: Wanted,
): Promise<readonly Staged[]> {
  const staged: Staged[] = [];
  const held = new Map<string, Permission>();
  for (const { found, ...row } of await stagedRows(database, wanted)) {
    const permission = held.get(row.name) ?? (await permissionFor(database, identity, found));
    held.set(row.name, permission);
    const isTheirs = row.staged_by === identity.userId && reaches(identity, found);
    if (isTheirs || allows(permission, "write")) staged.push(Object.assign(row, { permission }));
  }
  return staged;
}

/** One that somebody may see; only who administers the package, or will own it, may approve it. */
export async function requireStaged(
  database: Database,
  identity: Identity,
  { id, wanted }: { readonly id: string; readonly wanted: "read" | "admin" },
): Promise<Staged> {
  const [staged] = z.uuid().safeParse(id).success
    ? await stagedFor(database, identity, { id })
    : [];
  if (staged === undefined) throw notFound(`The staged version ${id.slice(0, 50)}`);
  if (wanted === "read" || allows(staged.permission, "admin")) return staged;
  throw forbidden(
    `${identity.name} may not approve ${staged.name}@${staged.version}: that is for its owners. See npm owner ls ${staged.name}`,
  );
}

async function stagedRows(database: Database, wanted: Wanted) {
  const rows = await database
    .selectFrom("staged_versions")
    .leftJoin("packages", "packages.name", "staged_versions.name")
    .leftJoin("accounts", "accounts.id", "staged_versions.staged_by")
    .where((row) => {
      if (wanted === undefined) return row.lit(true);
      if ("id" in wanted) return row("staged_versions.id", "=", wanted.id);
      return row("staged_versions.name", "=", wanted.name);
    })
    .orderBy("staged_versions.created_at", "desc")
    .orderBy("staged_versions.id")
    .select(["staged_versions.id", "staged_versions.name", "staged_versions.version"])
    .select(["staged_versions.tag", "staged_versions.access", "staged_versions.blob"])
    .select(["staged_versions.shasum", "staged_versions.size", "staged_versions.owner_id"])
    .select(["staged_versions.staged_by", "staged_versions.actor_type"])
    .select("staged_versions.created_at")
    .select(["accounts.name as actor", "packages.id as packageId"])
    .select(["packages.owner_id as ownerId", "packages.access as packageAccess"])
    .execute();
  return rows.map(({ ownerId, packageAccess, ...row }) => {
    const { name, scope = "" } = packageName(row.name);
    // Of a package that is not there yet nobody was given anything: what counts is who will own it.
    const found = {
      id: row.packageId ?? 0,
      name,
      scope,
      owner_id: ownerId ?? row.owner_id,
      access: packageAccess ?? "restricted",
    } as const;
    return Object.assign(row, { found });
  });
}
