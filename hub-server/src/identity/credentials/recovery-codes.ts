import { randomInt } from "node:crypto";

import type { Database } from "../../platform/database/connect.ts";
import { secretHash } from "./secret.ts";

/** Letters and digits without look-alikes. */
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
const form = /^[2-9a-hjkmnp-z]{4}(?:-[2-9a-hjkmnp-z]{4}){2}$/;
const count = 10;

/** Replaces a user's recovery codes. Each new code allows one login without the authenticator app. */
export async function replaceRecoveryCodes(
  database: Database,
  userId: number,
): Promise<readonly string[]> {
  const codes = Array.from({ length: count }, newRecoveryCode);
  await database.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await database
    .insertInto("recovery_codes")
    .values(codes.map((code) => ({ user_id: userId, code_hash: secretHash(code) })))
    .execute();
  return codes;
}

/** Deletes a recovery code. Returns whether it existed. */
export async function spendRecoveryCode(
  database: Database,
  { userId, code }: { readonly userId: number; readonly code: string },
): Promise<boolean> {
  if (!form.test(code)) return false;
  const { numDeletedRows } = await database
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_hash", "=", secretHash(code))
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

function newRecoveryCode(): string {
  const part = (): string =>
    Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return [part(), part(), part()].join("-");
}
