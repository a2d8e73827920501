import { type RawBuilder, sql } from "kysely";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import type { Package } from "./permissions.ts";
import { readableBy } from "./readable.ts";

/** By name: what of a user or of a package. */
export type Held = Readonly<Record<string, "read" | "write">>;

/** The reasons of {@link permissionFor}, as rows: who holds what of which package. */
const holdings: RawBuilder<unknown> = sql`(
  select packages.id as package_id, owner_id as user_id, true as writes
  from packages join users on users.account_id = owner_id
  union all
  select packages.id, memberships.user_id, true
  from packages join memberships on organisation_id = owner_id and role in ('owner', 'admin')
  union all
  select package_id, user_id, permission = 'write' from package_users
  union all
  select package_id, user_id, permission = 'write'
  from team_packages join team_members using (team_id)
) as holdings`;

/** Who may do what with a package, apart from what everybody may. */
export async function holdersOf(database: Database, found: Package): Promise<Held> {
  const { rows } = await sql<{ name: string; writes: boolean }>`
    select accounts.name, bool_or(writes) as writes
    from ${holdings} join accounts on accounts.id = holdings.user_id
    where holdings.package_id = ${found.id}
    group by accounts.name order by accounts.name`.execute(database);
  return heldIn(rows);
}

/** What a user may do with which packages, of those that whoever asks may read. */
export async function heldByUser(
  database: Database,
  { userId, identity }: { readonly userId: number; readonly identity: Identity },
): Promise<Held> {
  const { rows } = await sql<{ name: string; writes: boolean }>`
    select packages.name, bool_or(writes) as writes
    from ${holdings} join packages on packages.id = holdings.package_id
    where holdings.user_id = ${userId} and ${readableBy(identity)}
    group by packages.name order by packages.name`.execute(database);
  return heldIn(rows);
}

/** The packages of an organisation, which may do all with them, of those that whoever asks may read. */
export async function heldByOrganisation(
  database: Database,
  { ownerId, identity }: { readonly ownerId: number; readonly identity: Identity | undefined },
): Promise<Held> {
  const owned = await database
    .selectFrom("packages")
    .where("owner_id", "=", ownerId)
    .where(readableBy(identity))
    .orderBy("name")
    .select("name")
    .execute();
  return heldIn(owned.map(({ name }) => ({ name, writes: true })));
}

function heldIn(rows: readonly { readonly name: string; readonly writes: boolean }[]): Held {
  return Object.fromEntries(rows.map(({ name, writes }) => [name, writes ? "write" : "read"]));
}
