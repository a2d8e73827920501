import type { Database } from "../../platform/database/connect.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { newSecret, secretHash } from "../credentials/secret.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
/** A session ends after a week without a visit, and after a month in any case. */
const idle = 7 * day;
const absolute = 30 * day;
/** Until something grave asks for the code again. */
const fresh = 5 * minute;
/** Between the password and the code. */
const half = 10 * minute;

/** Somebody's browser. */
export interface Session {
  readonly idHash: string;
  readonly user: {
    readonly id: number;
    readonly name: string;
    readonly isAdmin: boolean;
    readonly hasSecondFactor: boolean;
  };
  /** The password was right, the code is still to come. */
  readonly waitsForCode: boolean;
  /** Whether whoever has it proved a moment ago, with all that it takes, who they are. */
  readonly isFresh: boolean;
}

/** What is known of a browser that signs in. */
export interface NewSession {
  readonly userId: number;
  readonly waitsForCode: boolean;
  readonly client: string;
  readonly address: string;
}

/** Begins a session under a new secret, and ends the one before it. */
export async function beginSession(
  { database, clock }: Hub,
  { userId, waitsForCode, client, address }: NewSession,
  before?: Session,
): Promise<string> {
  const [secret, now] = [newSecret(), clock()];
  await database.transaction().execute(async (transaction) => {
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
        expires_at: new Date(now.getTime() + (waitsForCode ? half : absolute)),
        last_used_at: now,
      })
      .execute();
  });
  return secret;
}

/** The session behind a secret, if it has not ended. */
export async function sessionOf(
  { database, clock }: Hub,
  secret: string,
): Promise<Session | undefined> {
  const now = clock();
  const idHash = secretHash(secret);
  const found = await database
    .selectFrom("sessions")
    .innerJoin("users", "users.account_id", "sessions.user_id")
    .innerJoin("accounts", "accounts.id", "sessions.user_id")
    .where("id_hash", "=", idHash)
    .where("expires_at", ">", now)
    .where("last_used_at", ">", new Date(now.getTime() - idle))
    .where("disabled_at", "is", null)
    .select(["user_id", "name", "is_admin", "totp_confirmed_at", "waits_for_code", "last_used_at"])
    .select("sessions.created_at as began_at")
    .executeTakeFirst();
  if (found === undefined) return undefined;
  if (now.getTime() - found.last_used_at.getTime() > 5 * minute)
    await database
      .updateTable("sessions")
      .set({ last_used_at: now })
      .where("id_hash", "=", idHash)
      .execute();
  return {
    idHash,
    user: {
      id: found.user_id,
      name: found.name,
      isAdmin: found.is_admin,
      hasSecondFactor: found.totp_confirmed_at !== null,
    },
    waitsForCode: found.waits_for_code,
    isFresh: now.getTime() - found.began_at.getTime() < fresh,
  };
}

/** A user's sessions, the last used first. */
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
