import { change, type Hub } from "../../platform/hub/hub.ts";
import { replaceKey } from "./keys.ts";
import { invalidateSigningKey, keyCacheMs } from "./sign.ts";

/**
 * Replaces the signing key. Signatures of the old key stay valid, because clients compare its expiry with the time of
 * each version. It expires after every replica has read the new key.
 */
export async function rotateSigningKey(
  hub: Hub,
): Promise<{ readonly keyid: string; readonly oldKeysUntil: Date }> {
  const rotated = await change(hub, async ({ database, now, event }) => {
    const expiry = new Date(now.getTime() + 5 * keyCacheMs);
    const { keyid } = await replaceKey(database, now, expiry);
    event({ type: "key.rotated", actor: null, subject: keyid });
    return { keyid, oldKeysUntil: expiry };
  });
  invalidateSigningKey(hub);
  return rotated;
}
