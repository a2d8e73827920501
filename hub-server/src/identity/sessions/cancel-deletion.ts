import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { storeNotice } from "../mail/notice.ts";

/** Keeps an account whose deletion was requested, because its user signs in again. */
export async function cancelDeletion(database: Database, hub: Hub, userId: number): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable("users")
    .set({ delete_at: null, deletes_runs: false })
    .where("account_id", "=", userId)
    .where("delete_at", "is not", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await storeNotice(database, hub, {
    userId,
    subject: "Your account stays",
    text: "A sign-in has cancelled the deletion of the account. Its tokens stay revoked.",
  });
}
