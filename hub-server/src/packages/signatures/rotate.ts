import { change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { replaceKey } from "./keys.ts";
import { invalidateSigningKey, rememberedFor } from "./sign.ts";

/**
 * Signs with a new key from now on. What the old one signed stays valid: it expires only when every replica has heard
 * of the new one, and clients compare its end with the time of each version.
 */
export async function rotateSigningKey(
  hub: Hub,
): Promise<{ readonly keyid: string; readonly oldKeysUntil: Date }> {
  const rotated = await change(hub, async ({ database, now, event }) => {
    const until = new Date(now.getTime() + 5 * rememberedFor);
    const { keyid } = await replaceKey(database, { now, until });
    event({ type: "key.rotated", actor: null, subject: keyid });
    return { keyid, oldKeysUntil: until };
  });
  invalidateSigningKey(hub);
  return rotated;
}
