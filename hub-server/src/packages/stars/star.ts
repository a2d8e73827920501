import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Package } from "../../access/permissions/require-package.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/**
 * Gives a package a user's star, or takes it back. A star changes no package: its revision and its cached documents stay
 * as they are.
 */
export async function setStar(
  hub: Hub,
  {
    userId,
    found,
    isStarred,
  }: { readonly userId: number; readonly found: Package; readonly isStarred: boolean },
): Promise<void> {
  const now = hub.clock();
  await hub.database.transaction().execute(async (database) => {
    // Whoever refreshes the search entry holds this row, too: no count is lost between the two.
    await database
      .selectFrom("packages")
      .where("id", "=", found.id)
      .select("id")
      .forUpdate()
      .executeTakeFirst();
    if (isStarred)
      await database
        .insertInto("stars")
        .values({ package_id: found.id, user_id: userId, created_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    else
      await database
        .deleteFrom("stars")
        .where("package_id", "=", found.id)
        .where("user_id", "=", userId)
        .execute();
    await database
      .updateTable("search_entries")
      .set((row) => ({
        stars: row
          .selectFrom("stars")
          .where("stars.package_id", "=", found.id)
          .select((star) => star.fn.countAll<number>().as("count")),
      }))
      .where("package_id", "=", found.id)
      .execute();
  });
}

/** The packages that a user has starred, of those that whoever asks may read. */
export async function starredBy(
  database: Database,
  { user, identity }: { readonly user: string; readonly identity: Identity | undefined },
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom("stars")
    .innerJoin("packages", "packages.id", "stars.package_id")
    .innerJoin("accounts", "accounts.id", "stars.user_id")
    .where("accounts.name", "=", user)
    .where(readableBy(identity))
    .orderBy("packages.name")
    .select("packages.name")
    .execute();
  return rows.map(({ name }) => name);
}
