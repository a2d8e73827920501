import { sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { grants, readableBy } from "./permission-query.ts";
import type { Package } from "./require-package.ts";

/** npm's permissions by the name of a user or of a package. */
export type PermissionsByName = Readonly<Record<string, "read" | "write">>;

interface NamedPermission {
  readonly name: string;
  readonly writes: boolean;
}

/** The users with a grant on a package. Public access is not listed. */
export async function packageCollaborators(
  database: Database,
  { id }: Package,
): Promise<PermissionsByName> {
  const { rows } = await sql<NamedPermission>`
    select accounts.name, bool_or(permission <> 'read') as writes
    from ${grants} join accounts on accounts.id = grants.user_id
    where grants.package_id = ${id}
    group by accounts.name order by accounts.name`.execute(database);
  return permissionsByName(rows);
}

/** The packages that a user has a grant on, limited to those that the identity may read. */
export async function packagesOfUser(
  database: Database,
  { userId, identity }: { readonly userId: number; readonly identity: Identity },
): Promise<PermissionsByName> {
  const { rows } = await sql<NamedPermission>`
    select packages.name, bool_or(permission <> 'read') as writes
    from ${grants} join packages on packages.id = grants.package_id
    where grants.user_id = ${userId} and ${readableBy(identity)}
    group by packages.name order by packages.name`.execute(database);
  return permissionsByName(rows);
}

/** The packages that an organisation owns, limited to those that the identity may read. */
export async function packagesOfOrganisation(
  database: Database,
  { ownerId, identity }: { readonly ownerId: number; readonly identity: Identity | undefined },
): Promise<PermissionsByName> {
  const packages = await database
    .selectFrom("packages")
    .where("owner_id", "=", ownerId)
    .where(readableBy(identity))
    .orderBy("name")
    .select("name")
    .execute();
  return permissionsByName(packages.map(({ name }) => ({ name, writes: true })));
}

function permissionsByName(rows: readonly NamedPermission[]): PermissionsByName {
  return Object.fromEntries(rows.map(({ name, writes }) => [name, writes ? "write" : "read"]));
}
