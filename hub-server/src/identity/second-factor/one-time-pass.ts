import type { Database } from "../../platform/database/connect.ts";
import { secretHash } from "../credentials/secret.ts";

/** How long a pass waits to be used, and how long it then lasts: one command may send it with several requests. */
const waits = 5 * 60_000;
const lasts = 60_000;

/** A pass for the second factor: a one-time password that was proven, or made, for one token. */
export interface OneTimePass {
  readonly tokenId: string;
  readonly secret: string;
  readonly now: Date;
}

/** Keeps a pass: one that was just used, or one that waits for it. */
export async function keepPass(
  database: Database,
  { tokenId, secret, now, isUsed }: OneTimePass & { readonly isUsed: boolean },
): Promise<void> {
  const row = {
    used_at: isUsed ? now : null,
    expires_at: new Date(now.getTime() + (isUsed ? lasts : waits)),
  };
  await database
    .insertInto("one_time_passes")
    .values({ token_id: tokenId, secret_hash: secretHash(secret), ...row })
    .onConflict((conflict) => conflict.columns(["token_id", "secret_hash"]).doUpdateSet(row))
    .execute();
}

/** Whether a token has this pass. From its first use on, it lasts for a minute. */
export async function usePass(
  database: Database,
  { tokenId, secret, now }: OneTimePass,
): Promise<boolean> {
  const ofThis = { token_id: tokenId, secret_hash: secretHash(secret) };
  await database
    .updateTable("one_time_passes")
    .set({ used_at: now, expires_at: new Date(now.getTime() + lasts) })
    .where((row) => row.and(ofThis))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .execute();
  const kept = await database
    .selectFrom("one_time_passes")
    .where((row) => row.and(ofThis))
    .where("expires_at", ">", now)
    .select("used_at")
    .executeTakeFirst();
  return kept !== undefined;
}
