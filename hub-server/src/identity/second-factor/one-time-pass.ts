import type { Database } from "../../platform/database/tables.ts";
import { secretHash } from "../credentials/secret.ts";

/** The lifetime of a pass before and after its first use: one command may send it with several requests. */
const unusedMs = 5 * 60_000;
const usedMs = 60_000;

/** A one-time password that was verified, or created, for one token. */
export interface OneTimePass {
  readonly tokenId: string;
  readonly secret: string;
  readonly now: Date;
}

/** Stores a pass: a verified code (`isUsed`), or a new pass for the client. */
export async function storePass(
  database: Database,
  { tokenId, secret, now, isUsed }: OneTimePass & { readonly isUsed: boolean },
): Promise<void> {
  const row = {
    used_at: isUsed ? now : null,
    expires_at: new Date(now.getTime() + (isUsed ? usedMs : unusedMs)),
  };
  await database
    .insertInto("one_time_passes")
    .values({ token_id: tokenId, secret_hash: secretHash(secret), ...row })
    .onConflict((conflict) => conflict.columns(["token_id", "secret_hash"]).doUpdateSet(row))
    .execute();
}

/** Whether a token has this pass. The first use limits its lifetime to one minute. */
export async function usePass(
  database: Database,
  { tokenId, secret, now }: OneTimePass,
): Promise<boolean> {
  const key = { token_id: tokenId, secret_hash: secretHash(secret) };
  await database
    .updateTable("one_time_passes")
    .set({ used_at: now, expires_at: new Date(now.getTime() + usedMs) })
    .where((row) => row.and(key))
    .where("used_at", "is", null)
    .where("expires_at", ">", now)
    .execute();
  const pass = await database
    .selectFrom("one_time_passes")
    .where((row) => row.and(key))
    .where("expires_at", ">", now)
    .select("used_at")
    .executeTakeFirst();
  return pass !== undefined;
}
