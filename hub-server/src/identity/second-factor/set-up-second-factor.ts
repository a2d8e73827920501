import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isCode, newTotpSecret, replaceRecoveryCodes, totpAddress } from "../credentials/code.ts";
import { storeNotice } from "../mail/notice.ts";

/** The user who changes credentials. */
export interface Person {
  readonly id: number;
  readonly name: string;
}

/** Starts the set-up and returns the secret for the authenticator app. It takes effect with the first correct code. */
export async function beginSecondFactor(
  { database, clock }: Hub,
  { id, name }: Person,
  hubName: string,
): Promise<{ readonly address: string; readonly secret: string }> {
  const secret = newTotpSecret();
  const { numUpdatedRows } = await database
    .updateTable("users")
    .set({ totp_secret: secret, totp_last_step: null, updated_at: clock() })
    .where("account_id", "=", id)
    .where("totp_confirmed_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n)
    throw new HubError("second-factor-exists", {
      message: "This account has a second factor. Disable it first: npm profile disable-2fa",
    });
  return { secret, address: totpAddress(secret, { name, hub: hubName }) };
}

/** The secret of an unfinished set-up. */
export async function pendingSecret(database: Database, id: number): Promise<string | undefined> {
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", id)
    .where("totp_confirmed_at", "is", null)
    .select("totp_secret")
    .executeTakeFirst();
  return user?.totp_secret ?? undefined;
}

/** Completes the set-up with a first code. Returns the recovery codes, of which the database stores only hashes. */
export async function confirmSecondFactor(
  hub: Hub,
  { id }: Person,
  { code, address }: { readonly code: string; readonly address: string },
): Promise<readonly string[]> {
  if ((await pendingSecret(hub.database, id)) === undefined)
    throw new HubError("second-factor-not-begun", {
      message: "The set-up of a second factor has not started. Run: npm profile enable-2fa",
    });
  if (!(await isCode(hub, { userId: id, code, address })))
    throw new HubError("wrong-code", {
      message:
        "The code is wrong. Check the clock of the device with the app, and use the next code.",
    });
  return await hub.database.transaction().execute(async (database) => {
    await database
      .updateTable("users")
      .set({ totp_confirmed_at: hub.clock(), updated_at: hub.clock() })
      .where("account_id", "=", id)
      .execute();
    return await replaceRecoveryCodes(database, id);
  });
}

/** Removes a second factor or an unfinished set-up. */
export async function endSecondFactor(hub: Hub, { id }: Person): Promise<void> {
  await hub.database.transaction().execute(async (transaction) => {
    await transaction
      .updateTable("users")
      .set({
        totp_secret: null,
        totp_confirmed_at: null,
        totp_last_step: null,
        updated_at: hub.clock(),
      })
      .where("account_id", "=", id)
      .execute();
    await storeNotice(transaction, hub, {
      userId: id,
      subject: "The second factor was disabled",
      text: "Signing in no longer needs a code.",
    });
    await transaction.deleteFrom("recovery_codes").where("user_id", "=", id).execute();
  });
}
