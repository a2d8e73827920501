import { randomInt } from "node:crypto";

import type { Database } from "../../platform/database/connect.ts";
import { secretHash } from "./secret.ts";

/** Letters and digits that are not taken for each other. */
const alphabet = "23456789abcdefghjkmnpqrstuvwxyz";
const form = /^[2-9a-hjkmnp-z]{4}(?:-[2-9a-hjkmnp-z]{4}){2}$/;
const count = 10;

/** Gives a user new recovery codes, each good for one login without the authenticator app; earlier ones end. */
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

/** Uses a recovery code up; whether it was one. */
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
