import { randomInt } from "node:crypto";

import { Secret, TOTP } from "otpauth";

import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { countAttempt } from "./attempts.ts";
import { secretHash } from "./secret.ts";

/** A code that a client sent as a user's second factor. */
interface CodeAttempt {
  readonly userId: number;
  readonly code: string;
  readonly address: string;
}

/** Whether a code is the current one of the user's authenticator app, or a recovery code. Each code works once. */
export async function isCode(hub: Hub, { userId, code, address }: CodeAttempt): Promise<boolean> {
  const succeed = await countAttempt(hub, { kind: "code", subject: String(userId), address });
  const plain = code.replaceAll(/\s/g, "").toLowerCase();
  const isRight = /^\d{6}$/.test(plain)
    ? await spendTotp(hub.database, { userId, code: plain, now: hub.clock() })
    : await spendRecoveryCode(hub.database, { userId, code: plain });
  if (isRight) await succeed();
  return isRight;
}

/** Each time step counts once, so an observer cannot use the code again. */
async function spendTotp(
  database: Database,
  { userId, code, now }: { readonly userId: number; readonly code: string; readonly now: Date },
): Promise<boolean> {
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", userId)
    .select("totp_secret")
    .executeTakeFirst();
  const secret = user?.totp_secret ?? undefined;
  const step = secret === undefined ? undefined : totpStep(secret, { code, now });
  if (step === undefined) return false;
  const { numUpdatedRows } = await database
    .updateTable("users")
    .set({ totp_last_step: step })
    .where("account_id", "=", userId)
    .where((row) => row.or([row("totp_last_step", "is", null), row("totp_last_step", "<", step)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The error of a form with a wrong code. */
export function wrongCode(): HubError {
  return new HubError("wrong-code", {
    status: 401,
    message: "This code is wrong, already used or too old. Enter the code that your app shows now.",
  });
}

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
async function spendRecoveryCode(
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

const period = 30;
/** Accepts one step before and after, for clocks that are half a minute off. */
const window = 1;

/** Makes a secret for an authenticator app in base 32: 160 bits, as RFC 4226 recommends. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The `otpauth:` URL that an authenticator app scans. */
export function totpAddress(secret: string, of: { readonly name: string; readonly hub: string }) {
  return totp(secret, of).toString();
}

/** The time step of a code, or undefined if the code is wrong. */
function totpStep(
  secret: string,
  { code, now }: { readonly code: string; readonly now: Date },
): number | undefined {
  const timestamp = now.getTime();
  const delta = totp(secret).validate({ token: code, timestamp, window });
  return delta === null ? undefined : Math.floor(timestamp / 1000 / period) + delta;
}

function totp(secret: string, of?: { readonly name: string; readonly hub: string }): TOTP {
  return new TOTP({
    algorithm: "SHA1",
    digits: 6,
    period,
    secret: Secret.fromBase32(secret),
    ...(of === undefined ? {} : { issuer: of.hub, label: of.name }),
  });
}
