import { createPrivateKey, type KeyObject, sign } from "node:crypto";

import { sql } from "kysely";

import type { Hub } from "../hub.ts";
import { newKey } from "./key.ts";

/** A signature as `dist.signatures` shows it. */
export interface Signature {
  readonly keyid: string;
  readonly sig: string;
}

interface Signer {
  readonly keyid: string;
  readonly key: KeyObject;
  readonly until: number;
}

/** A rotated key is valid for longer than any replica remembers it. */
export const rememberedFor = 60_000;

const lock = 727_101_002;
const signers = new WeakMap<Hub, Signer>();

/**
 * The hub's word that a version has this integrity: ECDSA over P-256 and SHA-256, as npm clients verify it. Ask before
 * the transaction that publishes; on first use it makes the hub's key.
 */
export async function signatureOf(
  hub: Hub,
  {
    name,
    version,
    integrity,
  }: { readonly name: string; readonly version: string; readonly integrity: string },
): Promise<readonly Signature[]> {
  const { keyid, key } = await signer(hub);
  const sig = sign("sha256", Buffer.from(`${name}@${version}:${integrity}`), key);
  return [{ keyid, sig: sig.toString("base64") }];
}

async function signer(hub: Hub): Promise<Signer> {
  const now = hub.clock();
  const remembered = signers.get(hub);
  if (remembered !== undefined && now.getTime() < remembered.until) return remembered;
  const { keyid, private_key } = await currentKey(hub, now);
  const key = createPrivateKey({
    key: Buffer.from(private_key, "base64"),
    format: "der",
    type: "pkcs8",
  });
  const loaded = { keyid, key, until: now.getTime() + rememberedFor };
  signers.set(hub, loaded);
  return loaded;
}

/** The newest key that does not end; replicas that start together wait for the first of them to make it. */
async function currentKey({ database }: Hub, now: Date) {
  const newest = database
    .selectFrom("signing_keys")
    .where("expires_at", "is", null)
    .orderBy("created_at", "desc")
    .limit(1)
    .selectAll();
  const found = await newest.executeTakeFirst();
  if (found !== undefined) return found;
  return await database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(lock)})`.execute(transaction);
    const made = await transaction
      .selectFrom("signing_keys")
      .where("expires_at", "is", null)
      .selectAll()
      .executeTakeFirst();
    return (
      made ??
      (await transaction
        .insertInto("signing_keys")
        .values(newKey(now))
        .returningAll()
        .executeTakeFirstOrThrow())
    );
  });
}
