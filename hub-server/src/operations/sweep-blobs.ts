import { sql } from "kysely";

import type { BlobTotals, StoredBlob } from "../platform/blobs/blob-store.ts";
import { graceEnd } from "../platform/blobs/claims.ts";
import type { Database } from "../platform/database/connect.ts";
import { CommandError } from "../platform/errors/command-error.ts";
import type { Hub } from "../platform/hub/hub.ts";

type Store = Pick<Hub, "database" | "blobs" | "clock">;

/** What a sweep removed, or would have. */
export interface Swept {
  readonly blobs: BlobTotals;
  /** Files that a process was writing when it died. */
  readonly unfinished: BlobTotals;
  readonly kept: BlobTotals;
}

/** Blobs that are looked at together; those that go are locked together. */
const batchSize = 100;

/**
 * Removes the blobs that nothing names: of versions that were rejected or unpublished, and of publishes that failed. What
 * was written, claimed or unpublished within a day stays, and hubs may publish meanwhile.
 */
export async function sweepBlobs(
  { database, blobs, clock }: Store,
  { isDry = false }: { readonly isDry?: boolean } = {},
): Promise<Swept> {
  const before = graceEnd(clock());
  await requireOwnStore({ database, blobs });
  const unfinished = await blobs.dropUnfinished({ before, isDry });
  const removed = { count: 0, bytes: 0 };
  const kept = { count: 0, bytes: 0 };
  for await (const batch of batches(blobs.list())) {
    const old = batch.filter(({ writtenAt }) => writtenAt < before).map(({ key }) => key);
    const unnamed = await unnamedOf(database, { keys: old, before });
    const going = new Set(isDry ? unnamed : await remove({ database, blobs }, unnamed, before));
    for (const { key, size } of batch) {
      const side = going.has(key) ? removed : kept;
      side.count += 1;
      side.bytes += size;
    }
  }
  return { blobs: removed, unfinished, kept };
}

/** With the database of another hub, every blob would look like one that nothing names. */
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
      ? "The database names no version, so nothing tells that the blobs are its own. Compare DATABASE_URL, HUB_BLOBS and HUB_DATA with those of the hub."
      : "The blobs lack that of the newest version in the database, so they belong to another hub. Compare DATABASE_URL, HUB_BLOBS and HUB_DATA with those of the hub.",
  );
}

async function unnamedOf(
  database: Database,
  { keys, before }: { readonly keys: readonly string[]; readonly before: Date },
): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<{ readonly key: string }>`
    select key from unnest(${[...keys]}::text[]) as key
    where not exists (
      select from versions where blob = key and (unpublished_at is null or unpublished_at >= ${before})
    )
    and not exists (select from staged_versions where blob = key)
    and not exists (select from blob_claims where blob = key and claimed_at >= ${before})`.execute(
    database,
  );
  return rows.map(({ key }) => key);
}

/**
 * Removes blobs while nobody can claim them: whoever wants to waits for the end of the transaction, finds the blob gone,
 * and writes it again. Returns those that went.
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
    // Somebody may have claimed, and named, some of them a moment ago.
    const going = await unnamedOf(transaction, { keys, before });
    const deletions = await Promise.allSettled(going.map((key) => blobs.delete(key)));
    for (const deletion of deletions) if (deletion.status === "rejected") throw deletion.reason;
    await transaction
      .deleteFrom("blob_claims")
      .where("blob", "in", [...keys])
      .where("claimed_at", "<", before)
      .execute();
    return going;
  });
}

async function* batches(found: AsyncIterable<StoredBlob>): AsyncGenerator<readonly StoredBlob[]> {
  let batch: StoredBlob[] = [];
  for await (const each of found) {
    batch.push(each);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
