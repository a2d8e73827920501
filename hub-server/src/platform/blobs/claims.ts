import { sql } from "kysely";

import { inGroups } from "../database/in-groups.ts";
import type { Database } from "../database/tables.ts";
import type { FreeSpace } from "../files/free-space.ts";
import type { BlobStore } from "./blob-store.ts";

/** How long an unreferenced blob is kept: longer than any publish, backup or download. */
const graceMs = 24 * 3_600_000;

/** The sweep deletes unreferenced blobs that are older than this time. */
export function graceEnd(now: Date): Date {
  return new Date(now.getTime() - graceMs);
}

/**
 * Protects blobs from the sweep for a day. Waits while the sweep is deleting one of them, so that the caller then sees that
 * it is missing. Locks rows in the order of keys to avoid deadlocks.
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

/** Deletes expired claims and skips locked rows. */
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

/** The maximum number of publishes whose claims share a statement. */
const maxGroup = 64;

/** Returns a function like {@link claimBlobs}, whose callers wait together for one statement, and its sync of the disk. */
export function claimTogether(
  database: Database,
  clock: () => Date,
): (keys: readonly string[]) => Promise<void> {
  return inGroups({
    maxItems: maxGroup,
    run: (take) =>
      database.connection().execute(async (connection) => {
        const groups = take();
        await claimBlobs(connection, { keys: groups.flat(), now: clock() });
        return groups.map(() => ({ status: "fulfilled", value: undefined }));
      }),
  });
}

type BlobContent = { readonly key: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly path: string }
);

/** Stores blobs for a transaction that will reference them within a day. */
export async function keepBlobs(
  {
    blobs,
    space,
    claim,
  }: {
    readonly blobs: BlobStore;
    readonly space: FreeSpace;
    readonly claim: (keys: readonly string[]) => Promise<void>;
  },
  contents: readonly BlobContent[],
): Promise<void> {
  await space.require();
  // Claim first: the sweep then spares a blob that exists, and a blob that it has deleted is written again.
  await claim(contents.map(({ key }) => key));
  for (const content of contents)
    await ("bytes" in content
      ? blobs.put(content.key, content.bytes)
      : blobs.putFile(content.key, content.path));
}
