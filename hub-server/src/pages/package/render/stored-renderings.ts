import { createHash } from "node:crypto";

import { sql } from "kysely";

import type { Hub } from "../../../platform/hub/hub.ts";

/** The results of the rendering process in the database, which all replicas share. */
export interface StoredRenderings {
  read(key: string): Promise<{ readonly result: unknown } | undefined>;
  write(key: string, result: unknown): Promise<void>;
}

/** Raise it when the process renders differently: older results are then no longer read. */
const format = 1;
/** The maximum size of all results, as PostgreSQL compresses them. */
const maxBytes = 512 * 2 ** 20;

export function storedRenderings({
  database,
  clock,
}: Pick<Hub, "database" | "clock">): StoredRenderings {
  const hashOf = (key: string): string =>
    createHash("sha256").update(`${format} ${key}`).digest("hex");
  return {
    async read(key) {
      const row = await database
        .selectFrom("renderings")
        .where("key", "=", hashOf(key))
        .select("result")
        .executeTakeFirst();
      if (row === undefined) return undefined;
      // A comparison that failed has no result, which JSON cannot express.
      return { result: (JSON.parse(row.result) as unknown) ?? undefined };
    },
    async write(key, result) {
      await database
        .insertInto("renderings")
        .values({ key: hashOf(key), result: JSON.stringify(result ?? null), rendered_at: clock() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
  };
}

/** Deletes the oldest results beyond the maximum size. Pages that need one render it again. */
export async function dropOldRenderings(
  { database }: Pick<Hub, "database">,
  limit = maxBytes,
): Promise<void> {
  const { numAffectedRows = 0n } = await sql`
    delete from renderings where key in (
      select key from (
        select key, sum(pg_column_size(result)) over (order by rendered_at desc, key) as bytes from renderings
      ) as newest
      where bytes > ${limit}
    )`.execute(database);
  // The embedded database has no autovacuum, which would free the space for later results.
  if (numAffectedRows > 0n) await sql`vacuum renderings`.execute(database);
}
