import { sql } from "kysely";

import type { BlobTotals, StoredBlob } from "../platform/blobs/blob-store.ts";
import { graceEnd } from "../platform/blobs/claims.ts";
import type { Database } from "../platform/database/tables.ts";
import { CommandError } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";

type Store = Pick<Hub, "database" | "blobs" | "clock">;

/** The totals of a sweep, or of a dry run. */
export interface SweepTotals {
  readonly blobs: BlobTotals;
  /** Temporary files of dead processes. */
  readonly unfinished: BlobTotals;
  readonly kept: BlobTotals;
}

/** The number of blobs that are checked, locked and deleted together. */
const batchSize = 100;

/**
 * Deletes unreferenced blobs: those of rejected and unpublished versions, of failed publishes, and of deleted runs. Keeps blobs that were
 * written, claimed or unpublished within a day. Hubs may publish during a sweep.
 */
export async function sweepBlobs(
  { database, blobs, clock }: Store,
  { isDry = false }: { readonly isDry?: boolean } = {},
): Promise<SweepTotals> {
  const before = graceEnd(clock());
  await requireOwnStore({ database, blobs });
  const unfinished = await blobs.dropUnfinished({ before, isDry });
  const removed = { count: 0, bytes: 0 };
  const kept = { count: 0, bytes: 0 };
  for await (const batch of batches(blobs.list())) {
    const old = batch.filter(({ writtenAt }) => writtenAt < before).map(({ key }) => key);
    const unreferenced = await unreferencedBlobs(database, { keys: old, before });
    const deleted = new Set(
      isDry ? unreferenced : await remove({ database, blobs }, unreferenced, before),
    );
    for (const { key, size } of batch) {
      const totals = deleted.has(key) ? removed : kept;
      totals.count += 1;
      totals.bytes += size;
    }
  }
  return { blobs: removed, unfinished, kept };
}

/** With the database of another hub, every blob would look unreferenced. */
async function requireOwnStore({ database, blobs }: Omit<Store, "clock">): Promise<void> {
  const newest = await database
    .selectFrom("versions")
    .where("unpublished_at", "is", null)
    .orderBy("id", "desc")
    .limit(1)
    .select("blob")
    .executeTakeFirst();
  if (newest !== undefined && (await blobs.has(newest.blob))) return;
  throw new CommandError(
    newest === undefined
      ? "Cannot verify that the blobs belong to this database, because it has no versions. Compare DATABASE_URL, HUB_BLOBS and HUB_DATA with those of the hub."
      : "The blob store lacks the newest version in the database, so it belongs to another hub. Compare DATABASE_URL, HUB_BLOBS and HUB_DATA with those of the hub.",
  );
}

async function unreferencedBlobs(
  database: Database,
  { keys, before }: { readonly keys: readonly string[]; readonly before: Date },
): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<{ readonly key: string }>`
    select key from unnest(${[...keys]}::text[]) as key
    where not exists (
      select from versions where blob = key and (
        unpublished_at is null or unpublished_at >= ${before} or taken_down_at is not null
      )
    )
    and not exists (select from staged_versions where blob = key)
    and not exists (select from run_parts where blob = key)
    and not exists (select from upstream_tarballs where blob = key)
    and not exists (select from blob_claims where blob = key and claimed_at >= ${before})`.execute(
    database,
  );
  return rows.map(({ key }) => key);
}

/**
 * Deletes blobs while their claims are locked: a publish that needs one waits for this transaction and then writes the blob
 * again. Returns the deleted keys.
 */
async function remove(
  { database, blobs }: Omit<Store, "clock">,
  keys: readonly string[],
  before: Date,
): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  return await database.transaction().execute(async (transaction) => {
    await sql`
      insert into blob_claims (blob, claimed_at)
      select blob, '-infinity' from unnest(${keys.toSorted()}::text[]) as blob
      on conflict (blob) do update set claimed_at = blob_claims.claimed_at`.execute(transaction);
    // A publish may have claimed and referenced some of them in the meantime.
    const deletable = await unreferencedBlobs(transaction, { keys, before });
    const deletions = await Promise.allSettled(deletable.map((key) => blobs.delete(key)));
    for (const deletion of deletions) if (deletion.status === "rejected") throw deletion.reason;
    await transaction
      .deleteFrom("blob_claims")
      .where("blob", "in", [...keys])
      .where("claimed_at", "<", before)
      .execute();
    return deletable;
  });
}

async function* batches(blobs: AsyncIterable<StoredBlob>): AsyncGenerator<readonly StoredBlob[]> {
  let batch: StoredBlob[] = [];
  for await (const blob of blobs) {
    batch.push(blob);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
