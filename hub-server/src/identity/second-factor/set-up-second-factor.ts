import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { isCode } from "../credentials/code.ts";
import { replaceRecoveryCodes } from "../credentials/recovery-codes.ts";
import { newTotpSecret, totpAddress } from "../credentials/totp.ts";

/** A user who changes how they are known. */
export interface Person {
  readonly id: number;
  readonly name: string;
}

/** Begins to set up a second factor: what the authenticator app scans. It counts from the first right code on. */
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

/** The secret that waits for its first code; undefined when none does. */
export async function pendingSecret(database: Database, id: number): Promise<string | undefined> {
  const user = await database
    .selectFrom("users")
    .where("account_id", "=", id)
    .where("totp_confirmed_at", "is", null)
    .select("totp_secret")
    .executeTakeFirst();
  return user?.totp_secret ?? undefined;
}

/** Completes the second factor with a first code; the recovery codes are told here, and not kept. */
export async function confirmSecondFactor(
  hub: Hub,
  { id }: Person,
  { code, address }: { readonly code: string; readonly address: string },
): Promise<readonly string[]> {
  if ((await pendingSecret(hub.database, id)) === undefined)
    throw new HubError("second-factor-not-begun", {
      message: "No second factor is being set up. Begin again: npm profile enable-2fa",
    });
  if (!(await isCode(hub, { userId: id, code, address })))
    throw new HubError("wrong-code", {
      message:
        "This is not the code that the app shows now. Check its clock, and give the next one.",
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

/** Ends a second factor, or the setting up of one. */
export async function endSecondFactor({ database, clock }: Hub, { id }: Person): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await transaction
      .updateTable("users")
      .set({
        totp_secret: null,
        totp_confirmed_at: null,
        totp_last_step: null,
        updated_at: clock(),
      })
      .where("account_id", "=", id)
      .execute();
    await transaction.deleteFrom("recovery_codes").where("user_id", "=", id).execute();
  });
}
