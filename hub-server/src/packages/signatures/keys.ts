import { createHash, generateKeyPairSync } from "node:crypto";

import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import type { Row } from "../../platform/database/tables.ts";

/** Keys are added by one process at a time. */
const lock = 727_101_002;

/** The kind of every key, in the words of SSH, which npm uses. */
export const keyKind = "ecdsa-sha2-nistp256";

/** Every key that the hub ever signed with, the newest first. */
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

/** The key that signs: the one that has no end. */
async function currentKey(database: Database): Promise<Row<"signing_keys"> | undefined> {
  return await database
    .selectFrom("signing_keys")
    .where("expires_at", "is", null)
    .selectAll()
    .executeTakeFirst();
}

/** The key that signs, made if there is none: of processes that start together, the first makes it for all. */
export async function ensureKey(database: Database, now: Date): Promise<Row<"signing_keys">> {
  const found = await currentKey(database);
  if (found !== undefined) return found;
  return await database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(transaction);
    return (await currentKey(transaction)) ?? (await addKey(transaction, now));
  });
}

/** In a transaction: another key signs from now on, and the old one is good for what was published before `until`. */
export async function replaceKey(
  transaction: Database,
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<Row<"signing_keys">> {
  await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(transaction);
  await transaction
    .updateTable("signing_keys")
    .where("expires_at", "is", null)
    .set({ expires_at: until })
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
