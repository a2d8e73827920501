import type { Database } from "../../platform/database/tables.ts";
import { type Identity, identityWithoutToken } from "../request/identity.ts";

/** The name of the hub's own account, which users cannot have. */
export const hubAccountName = "hub";

/** The hub as the author of the runs that it plays. Creates its account at the first call: without a quota, and disabled, so that no client can log in as it. */
export async function hubIdentity(database: Database, now: Date): Promise<Identity> {
  const name = hubAccountName;
  await database
    .insertInto("accounts")
    .values({
      name,
      kind: "user",
      similarity_keys: [],
      quota_bytes: Number.MAX_SAFE_INTEGER,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  const { id } = await database
    .selectFrom("accounts")
    .where("name", "=", name)
    .select("id")
    .executeTakeFirstOrThrow();
  await database
    .insertInto("users")
    .values({
      account_id: id,
      full_name: "The hub's own runner",
      disabled_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column("account_id").doNothing())
    .execute();
  return identityWithoutToken({ id, name, isAdmin: false, hasSecondFactor: false });
}
