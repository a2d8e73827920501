import { createHash, generateKeyPairSync } from "node:crypto";

import { sql } from "kysely";

import type { Database, Row } from "../../platform/database/tables.ts";

/** The key of the advisory lock for new keys; any number that no other code uses. */
const lock = 727_101_002;

/** The type of every key, in SSH's notation, which npm uses. */
export const keyType = "ecdsa-sha2-nistp256";

/** All keys of the hub, also expired ones, newest first. */
export async function publicKeys(
  database: Database,
): Promise<readonly Pick<Row<"signing_keys">, "keyid" | "public_key" | "expires_at">[]> {
  return await database
    .selectFrom("signing_keys")
    .orderBy("created_at", "desc")
    .orderBy("keyid")
    .select(["keyid", "public_key", "expires_at"])
    .execute();
}

/** The key that signs new versions: the only one without an expiry. */
async function currentKey(database: Database): Promise<Row<"signing_keys"> | undefined> {
  return await database
    .selectFrom("signing_keys")
    .where("expires_at", "is", null)
    .selectAll()
    .executeTakeFirst();
}

/** Returns the key that signs. Creates it on first use, under a lock, so that processes that start together share it. */
export async function ensureKey(database: Database, now: Date): Promise<Row<"signing_keys">> {
  const key = await currentKey(database);
  if (key !== undefined) return key;
  return await database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(transaction);
    return (await currentKey(transaction)) ?? (await addKey(transaction, now));
  });
}

/** Creates a key that replaces the current one, and returns it. The old key is valid for versions published before `expiry`. */
export async function replaceKey(
  transaction: Database,
  now: Date,
  expiry: Date,
): Promise<Row<"signing_keys">> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(transaction);
  await transaction
    .updateTable("signing_keys")
    .where("expires_at", "is", null)
    .set({ expires_at: expiry })
    .execute();
  return await addKey(transaction, now);
}

async function addKey(transaction: Database, now: Date): Promise<Row<"signing_keys">> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return await transaction
    .insertInto("signing_keys")
    .values({
      keyid: `SHA256:${createHash("sha256").update(spki).digest("base64")}`,
      public_key: spki.toString("base64"),
      private_key: privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
      created_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}
