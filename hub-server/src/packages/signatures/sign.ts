import { createPrivateKey, type KeyObject, sign } from "node:crypto";

import type { Hub } from "../../platform/hub/hub.ts";
import { ensureKey } from "./keys.ts";

/** An entry of `dist.signatures` in a packument. */
export interface Signature {
  readonly keyid: string;
  readonly sig: string;
}

interface SigningKey {
  readonly keyid: string;
  readonly key: KeyObject;
  /** Milliseconds since the epoch. After this time, the process reads the key again. */
  readonly staleAt: number;
}

/** The time for which a process caches the key, in milliseconds. Another process may replace the key meanwhile. */
export const keyCacheMs = 60_000;

const cache = new WeakMap<Hub, SigningKey>();

/** What a signature covers. */
interface SignedVersion {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
}

/** Signs like {@link signatureOf}. */
export type Signer = (version: SignedVersion) => readonly Signature[];

/**
 * Signs the name, version and integrity of a version, with ECDSA over P-256 and SHA-256, as npm's clients verify it. The
 * first call creates the hub's key in its own transaction, so call this before the transaction that publishes.
 */
export async function signatureOf(hub: Hub, version: SignedVersion): Promise<readonly Signature[]> {
  return (await signerOf(hub))(version);
}

/** Returns a function that reads nothing, so that a transaction may call it. */
export async function signerOf(hub: Hub): Promise<Signer> {
  const { keyid, key } = await signingKey(hub);
  return ({ name, version, integrity }) => {
    const sig = sign("sha256", Buffer.from(`${name}@${version}:${integrity}`), key);
    return [{ keyid, sig: sig.toString("base64") }];
  };
}

/** Returns the key that this process signs with. */
export async function signingKey(hub: Hub): Promise<SigningKey> {
  const now = hub.clock();
  const cached = cache.get(hub);
  if (cached !== undefined && now.getTime() < cached.staleAt) return cached;
  const { keyid, private_key } = await ensureKey(hub.database, now);
  const pkcs8 = Buffer.from(private_key, "base64");
  const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
  const current = { keyid, key, staleAt: now.getTime() + keyCacheMs };
  cache.set(hub, current);
  return current;
}

/** Makes the process read the key again before the next signature. */
export function invalidateSigningKey(hub: Hub): void {
  cache.delete(hub);
}
