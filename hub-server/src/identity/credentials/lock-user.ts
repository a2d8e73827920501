import type { Database } from "../../platform/database/tables.ts";

/** Makes concurrent changes of a user wait until the transaction ends. */
export async function lockUser(database: Database, userId: number): Promise<void> {
  await database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .select("account_id")
    .forUpdate()
    .execute();
}
