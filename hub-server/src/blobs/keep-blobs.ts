import type { Hub } from "../hub.ts";
import { claimBlobs } from "./claims.ts";

/** Stores blobs for whoever will name them in a transaction that comes after: the sweep leaves them alone for a day. */
export async function keepBlobs(
  { database, blobs, clock }: Pick<Hub, "database" | "blobs" | "clock">,
  kept: readonly { readonly key: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  // The claim comes first: a blob that is there and claimed stays, one that is not there yet is written.
  await claimBlobs(database, { keys: kept.map(({ key }) => key), now: clock() });
  for (const { key, bytes } of kept) await blobs.put(key, bytes);
}
