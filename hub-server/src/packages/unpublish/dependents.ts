import { sql } from "kysely";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";

/** A version of another package that asks for this one. */
export interface Dependent {
  readonly name: string;
  readonly version: string;
  /** What it asks for: a range, or a dist-tag. */
  readonly wants: string;
  /** Whether whoever asks may know of it. */
  readonly isReadable: boolean;
}

/** Who on this hub depends on a package, under its own name or under another one (`npm:@envs/tictactoe@^1.0.0`). */
export async function dependentsOf(
  database: Database,
  { id, name }: { readonly id: number; readonly name: string },
  reader: Identity,
): Promise<readonly Dependent[]> {
  const alias = `npm:${name}`;
  const { rows } = await sql<Dependent>`
    select packages.name, versions.version,
      case when dependency.value like 'npm:%'
        then substr(dependency.value, ${alias.length + 2}) else dependency.value end as wants,
      ${readableBy(reader)} as "isReadable"
    from versions
    join packages on packages.id = versions.package_id
    cross join lateral unnest(array['dependencies', 'optionalDependencies', 'peerDependencies']) as kind
    cross join lateral jsonb_each_text(
      case jsonb_typeof(versions.manifest -> kind) when 'object' then versions.manifest -> kind else '{}' end
    ) as dependency
    where packages.id <> ${id}
      and versions.unpublished_at is null
      and (dependency.key = ${name} and dependency.value not like 'npm:%'
        or dependency.value = ${alias}
        or starts_with(dependency.value, ${`${alias}@`}))
    order by packages.name, versions.published_at desc`.execute(database);
  return rows;
}
