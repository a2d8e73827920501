import { sql } from "kysely";

import type { DatabaseConnection } from "../platform/database/connect.ts";
import type { Database } from "../platform/database/tables.ts";

/** An account whose total differs from the bytes of its tarballs and runs. */
interface WrongTotal {
  readonly id: number;
  readonly name: string;
  readonly total: number;
  readonly bytes: number;
}

/** Compares the total of each account with the bytes of its published and staged tarballs, and of its runs. */
export async function wrongTotals(database: Database): Promise<readonly WrongTotal[]> {
  const { rows } = await sql<WrongTotal>`
    with stored as (
      select owner_id, size as bytes from versions join packages on packages.id = package_id
        where unpublished_at is null
      union all select owner_id, size from staged_versions
      union all select owner_id, blob_bytes from run_parts join runs on runs.id = run_id
    ), sums as (
      select owner_id, sum(bytes)::bigint as bytes from stored group by owner_id
    )
    select id, name, stored_bytes as total, coalesce(bytes, 0) as bytes
    from accounts left join sums on owner_id = id
    where stored_bytes <> coalesce(bytes, 0) order by name`.execute(database);
  return rows;
}

/** Corrects the totals that are wrong, and returns them. */
export async function correctTotals({
  database,
}: Pick<DatabaseConnection, "database">): Promise<readonly WrongTotal[]> {
  return await database.transaction().execute(async (transaction) => {
    // A change that has added to a total ends before this transaction continues.
    await sql`lock table accounts in share row exclusive mode`.execute(transaction);
    const wrong = await wrongTotals(transaction);
    for (const { id, bytes } of wrong)
      await transaction
        .updateTable("accounts")
        .set({ stored_bytes: bytes })
        .where("id", "=", id)
        .execute();
    return wrong;
  });
}
