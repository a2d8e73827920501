import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";
import { cancelDeletion } from "./cancel-deletion.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
/** The idle timeout and the maximum lifetime of a session. */
const idle = 7 * day;
const absolute = 30 * day;
/** How long after sign-in or a code sensitive actions do not need another code. */
const fresh = 5 * minute;
/** How long a session waits for the code after the password. */
const codeTimeout = 10 * minute;

/** A signed-in browser. */
export interface Session {
  readonly idHash: string;
  readonly user: {
    readonly id: number;
    readonly name: string;
    readonly isAdmin: boolean;
    readonly hasSecondFactor: boolean;
    /** False for users who sign in only with a provider or a passkey. */
    readonly hasPassword: boolean;
  };
  /** The password was right and the code is missing. */
  readonly waitsForCode: boolean;
  /** Whether the user signed in completely, or entered another code, within the last five minutes. */
  readonly isFresh: boolean;
}

/** The user and the browser of a new session. */
export interface NewSession {
  readonly userId: number;
  readonly waitsForCode: boolean;
  readonly client: string;
  readonly address: string;
}

/** Starts a session with a new secret and ends the previous one of the same browser. */
export async function beginSession(
  hub: Hub,
  { userId, waitsForCode, client, address }: NewSession,
  before?: Session,
): Promise<string> {
  const [secret, now] = [newSecret(), hub.clock()];
  await hub.database.transaction().execute(async (transaction) => {
    if (!waitsForCode) await cancelDeletion(transaction, hub, userId);
    if (before !== undefined)
      await transaction.deleteFrom("sessions").where("id_hash", "=", before.idHash).execute();
    await transaction
      .insertInto("sessions")
      .values({
        id_hash: secretHash(secret),
        user_id: userId,
        waits_for_code: waitsForCode,
        client,
        address,
        created_at: now,
        verified_at: now,
        expires_at: new Date(now.getTime() + (waitsForCode ? codeTimeout : absolute)),
        last_used_at: now,
      })
      .execute();
  });
  return secret;
}

/** Finds the session of a secret, unless it has expired. */
export async function sessionOf(
  { database, clock }: Hub,
  secret: string,
): Promise<Session | undefined> {
  const now = clock();
  const idHash = secretHash(secret);
  const row = await database
    .selectFrom("sessions")
    .innerJoin("users", "users.account_id", "sessions.user_id")
    .innerJoin("accounts", "accounts.id", "sessions.user_id")
    .where("id_hash", "=", idHash)
    .where("expires_at", ">", now)
    .where("last_used_at", ">", new Date(now.getTime() - idle))
    .where("disabled_at", "is", null)
    .select(["user_id", "name", "is_admin", "totp_confirmed_at", "waits_for_code", "last_used_at"])
    .select(["sessions.verified_at", "password_hash"])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (now.getTime() - row.last_used_at.getTime() > 5 * minute)
    await database
      .updateTable("sessions")
      .set({ last_used_at: now })
      .where("id_hash", "=", idHash)
      .execute();
  return {
    idHash,
    user: {
      id: row.user_id,
      name: row.name,
      isAdmin: row.is_admin,
      hasSecondFactor: row.totp_confirmed_at !== null,
      hasPassword: row.password_hash !== null,
    },
    waitsForCode: row.waits_for_code,
    isFresh: now.getTime() - row.verified_at.getTime() < fresh,
  };
}

/** Records that the user of a session proved to be present. Sensitive actions need no other proof for five minutes. */
export async function renewSession({ database, clock }: Hub, { idHash }: Session): Promise<void> {
  await database
    .updateTable("sessions")
    .set({ verified_at: clock() })
    .where("id_hash", "=", idHash)
    .execute();
}

/** Lists a user's sessions, the most recently used first. */
export async function sessionsOf({ database, clock }: Hub, userId: number) {
  const now = clock();
  return await database
    .selectFrom("sessions")
    .where("user_id", "=", userId)
    .where("waits_for_code", "=", false)
    .where("expires_at", ">", now)
    .where("last_used_at", ">", new Date(now.getTime() - idle))
    .select(["id_hash", "client", "address", "created_at", "last_used_at"])
    .orderBy("last_used_at", "desc")
    .execute();
}

/** Ends one session of a user. */
export async function endSession(
  database: Database,
  { userId, idHash }: { readonly userId: number; readonly idHash: string },
): Promise<void> {
  await database
    .deleteFrom("sessions")
    .where("user_id", "=", userId)
    .where("id_hash", "=", idHash)
    .execute();
}
