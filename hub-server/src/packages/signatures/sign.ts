import { createPrivateKey, type KeyObject, sign } from "node:crypto";

import type { Hub } from "../../platform/hub/hub.ts";
import { ensureKey } from "./keys.ts";

/** A signature as `dist.signatures` shows it. */
export interface Signature {
  readonly keyid: string;
  readonly sig: string;
}

interface SigningKey {
  readonly keyid: string;
  readonly key: KeyObject;
  readonly until: number;
}

/** How long a process signs with the key that it has read, whatever others did to it meanwhile. */
export const rememberedFor = 60_000;

const remembered = new WeakMap<Hub, SigningKey>();

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
  const { keyid, key } = await signingKey(hub);
  const sig = sign("sha256", Buffer.from(`${name}@${version}:${integrity}`), key);
  return [{ keyid, sig: sig.toString("base64") }];
}

/** The key that this process signs with. */
export async function signingKey(hub: Hub): Promise<SigningKey> {
  const now = hub.clock();
  const known = remembered.get(hub);
  if (known !== undefined && now.getTime() < known.until) return known;
  const { keyid, private_key } = await ensureKey(hub.database, now);
  const pkcs8 = Buffer.from(private_key, "base64");
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  const read = { keyid, key, until: now.getTime() + rememberedFor };
  remembered.set(hub, read);
  return read;
}

/** Reads the key again before the next signature. */
export function invalidateSigningKey(hub: Hub): void {
  remembered.delete(hub);
}
