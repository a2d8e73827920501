import type { Dependent, Profile, RouteOutput, routes } from "@envs/hub-client";
import { sql } from "kysely";

import { readableBy } from "../access/permissions/permission-query.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Database } from "../platform/database/tables.ts";
import { findPackages } from "../search/find-packages.ts";
import { summariesOf } from "../search/summaries.ts";

/** A user or an organisation with the packages that the identity may read. Undefined if the account does not exist. */
export async function profileOf(
  database: Database,
  { name, identity }: { readonly name: string; readonly identity: Identity | undefined },
): Promise<Profile | undefined> {
  const account = await database
    .selectFrom("accounts")
    .leftJoin("users", "users.account_id", "accounts.id")
    .where("accounts.name", "=", name)
    .select(["accounts.name", "accounts.kind", "accounts.created_at", "users.full_name"])
    .executeTakeFirst();
  if (account === undefined) return undefined;
  const { ids } = await findPackages(database, {
    identity,
    text: "",
    owners: [name],
    sort: "downloads",
    offset: 0,
    limit: 250,
  });
  return {
    name: account.name,
    kind: account.kind,
    fullName: account.full_name ?? "",
    createdAt: account.created_at.toISOString(),
    packages: await summariesOf(database, ids),
  };
}

/** The ids, by name, of those packages of this hub that the identity may read. */
export async function readableIds(
  database: Database,
  identity: Identity | undefined,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await database
    .selectFrom("packages")
    .where((row) => row("name", "=", row.fn.any(row.val([...names]))))
    .where(readableBy(identity))
    .select(["id", "name"])
    .execute();
  return new Map(rows.map(({ id, name }) => [name, id]));
}

interface DependentsQuery {
  /** The package that others depend on. */
  readonly name: string;
  readonly identity: Identity | undefined;
  readonly page: number;
  readonly perPage: number;
}

/** The packages whose latest version depends on a package, limited to those that the identity may read. */
export async function dependentsOf(
  database: Database,
  { name, identity, page, perPage }: DependentsQuery,
): Promise<RouteOutput<typeof routes.listDependents>> {
  const alias = `npm:${name}`;
  // The search entry names the latest version. A package can list a dependency under two names; it counts once.
  const { rows } = await sql<Dependent & { readonly total: number }>`
    select *, count(*) over () as total from (
      select distinct on (packages.id) packages.name, versions.version, entry.description,
        entry.is_environment as "isEnvironment", entry.downloads,
        case when dependency.value like 'npm:%'
          then coalesce(nullif(substr(dependency.value, ${alias.length + 2}), ''), '*')
          else dependency.value end as range, field.kind
      from search_entries as entry
      join packages on packages.id = entry.package_id
      join versions on versions.id = entry.version_id
      cross join lateral unnest(array['dependencies', 'peerDependencies', 'optionalDependencies']) as field (kind)
      cross join lateral jsonb_each_text(
        case jsonb_typeof(versions.manifest -> field.kind) when 'object' then versions.manifest -> field.kind else '{}' end
      ) as dependency
      where packages.name <> ${name} and ${readableBy(identity)}
        and (dependency.key = ${name} and dependency.value not like 'npm:%'
          or dependency.value = ${alias}
          or starts_with(dependency.value, ${`${alias}@`}))
      order by packages.id, field.kind
    ) as dependents
    order by downloads desc, name
    limit ${perPage} offset ${(page - 1) * perPage}`.execute(database);
  return {
    items: rows.map(({ total: _total, ...row }) => row),
    total: rows[0]?.total ?? 0,
    page,
    perPage,
  };
}
