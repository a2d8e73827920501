import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** Adds or removes a user's star. The revision of the package and its cached documents do not change. */
export async function setStar(
  hub: Hub,
  userId: number,
  packageId: number,
  isStarred: boolean,
): Promise<void> {
  const now = hub.clock();
  await hub.database.transaction().execute(async (database) => {
    // Refreshes of the search entry lock the same row, so that neither loses the other's count.
    await database
      .selectFrom("packages")
      .where("id", "=", packageId)
      .select("id")
      .forUpdate()
      .executeTakeFirst();
    if (isStarred)
      await database
        .insertInto("stars")
        .values({ package_id: packageId, user_id: userId, created_at: now })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    else
      await database
        .deleteFrom("stars")
        .where("package_id", "=", packageId)
        .where("user_id", "=", userId)
        .execute();
    await database
      .updateTable("search_entries")
      .set((row) => ({
        stars: row
          .selectFrom("stars")
          .where("stars.package_id", "=", packageId)
          .select((star) => star.fn.countAll<number>().as("count")),
      }))
      .where("package_id", "=", packageId)
      .execute();
  });
}

/** The names of the packages that a user has starred, limited to those that the identity may read. */
export async function listStarred(
  database: Database,
  userName: string,
  identity: Identity | undefined,
): Promise<readonly string[]> {
  const rows = await database
    .selectFrom("stars")
    .innerJoin("packages", "packages.id", "stars.package_id")
    .innerJoin("accounts", "accounts.id", "stars.user_id")
    .where("accounts.name", "=", userName)
    .where(readableBy(identity))
    .orderBy("packages.name")
    .select("packages.name")
    .execute();
  return rows.map(({ name }) => name);
}

/** Whether a user has starred a package. */
export async function isStarred(
  database: Database,
  userId: number,
  packageId: number,
): Promise<boolean> {
  const star = await database
    .selectFrom("stars")
    .where("package_id", "=", packageId)
    .where("user_id", "=", userId)
    .select("user_id")
    .executeTakeFirst();
  return star !== undefined;
}
