import { sql } from "kysely";

import type { Database } from "../database/connect.ts";
import type { BlobStore } from "./blob-store.ts";

/** How long a blob that nothing names is left alone: longer than anyone publishes, backs up, or sends what was let go. */
const graceMilliseconds = 24 * 3_600_000;

/** What is older than this may be swept, if nothing names it. */
export function graceEnd(now: Date): Date {
  return new Date(now.getTime() - graceMilliseconds);
}

/**
 * Says that somebody needs blobs. Waits while the sweep removes one of them, so that who looks for it afterwards sees that
 * it is gone. In the order of keys, so that no two who claim several wait for each other.
 */
export async function claimBlobs(
  database: Database,
  { keys, now }: { readonly keys: readonly string[]; readonly now: Date },
): Promise<void> {
  await sql`
    insert into blob_claims (blob, claimed_at)
    select blob, ${now} from unnest(${[...new Set(keys)].sort()}::text[]) as blob
    on conflict (blob) do update
      set claimed_at = greatest(blob_claims.claimed_at, excluded.claimed_at)`.execute(database);
}

/** A claim that is older than the grace says nothing. One that somebody holds is left for the next time: nobody waits here. */
export async function dropOldClaims(database: Database, now: Date): Promise<void> {
  await database
    .deleteFrom("blob_claims")
    .where("blob", "in", (query) =>
      query
        .selectFrom("blob_claims")
        .where("claimed_at", "<", graceEnd(now))
        .select("blob")
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}

/** Stores blobs for a transaction that names them afterwards. The sweep does not delete them within a day. */
export async function keepBlobs(
  {
    database,
    blobs,
    clock,
  }: { readonly database: Database; readonly blobs: BlobStore; readonly clock: () => Date },
  kept: readonly { readonly key: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  // Claim first: the sweep then spares a blob that exists, and a blob that it has deleted is written again.
  await claimBlobs(database, { keys: kept.map(({ key }) => key), now: clock() });
  for (const { key, bytes } of kept) await blobs.put(key, bytes);
}
