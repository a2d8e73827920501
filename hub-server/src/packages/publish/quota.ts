import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** A tarball that somebody is about to publish or stage, and whose it will be. */
export interface Added {
  readonly ownerId: number;
  readonly bytes: number;
}

export function addedBy(
  { ownerId }: Pick<PublishingRight, "ownerId">,
  { tarball }: { readonly tarball: Uint8Array },
): Added {
  return { ownerId, bytes: tarball.byteLength };
}

/** Refuses tarballs for which an owner has no room, where the operator has set how much each may keep. */
export async function requireQuota(
  database: Database,
  { HUB_OWNER_BYTES: most }: Pick<Settings, "HUB_OWNER_BYTES">,
  added: readonly Added[],
): Promise<void> {
  if (most === undefined) return;
  for (const [ownerId, own] of Map.groupBy(added, (each) => each.ownerId)) {
    const bytes = own.reduce((sum, each) => sum + each.bytes, 0);
    const kept = await bytesOf(database, ownerId);
    if (kept + bytes > most) throw await noRoom(database, { ownerId, bytes, kept, most });
  }
}

/** The same in the transaction that adds them: nobody else can add to these owners until it ends. */
export async function requireQuotaToTheEnd(
  transaction: Database,
  settings: Pick<Settings, "HUB_OWNER_BYTES">,
  added: readonly Added[],
): Promise<void> {
  if (settings.HUB_OWNER_BYTES === undefined || added.length === 0) return;
  await transaction
    .selectFrom("accounts")
    .where("id", "in", [...new Set(added.map(({ ownerId }) => ownerId))])
    .orderBy("id")
    .select("id")
    .forNoKeyUpdate()
    .execute();
  await requireQuota(transaction, settings, added);
}

/** What can be installed of an owner's, and what waits for approval. */
async function bytesOf(database: Database, ownerId: number): Promise<number> {
  const { published, staged } = await database
    .selectNoFrom((query) => [
      query
        .selectFrom("versions")
        .innerJoin("packages", "packages.id", "versions.package_id")
        .where("packages.owner_id", "=", ownerId)
        .where("versions.unpublished_at", "is", null)
        .select(({ fn }) => fn.coalesce(fn.sum<number>("versions.size"), query.lit(0)).as("sum"))
        .as("published"),
      query
        .selectFrom("staged_versions")
        .where("owner_id", "=", ownerId)
        .select(({ fn }) => fn.coalesce(fn.sum<number>("size"), query.lit(0)).as("sum"))
        .as("staged"),
    ])
    .executeTakeFirstOrThrow();
  return Number(published) + Number(staged);
}

async function noRoom(
  database: Database,
  { ownerId, bytes, kept, most }: Added & { readonly kept: number; readonly most: number },
): Promise<HubError> {
  const { name } = await database
    .selectFrom("accounts")
    .where("id", "=", ownerId)
    .select("name")
    .executeTakeFirstOrThrow();
  return new HubError("owner-full", {
    message: `The tarballs of ${name} have ${kept} bytes; with ${bytes} more they would have more than ${most}, which is what each owner may keep on this hub. Reject staged versions that nobody needs (npm stage list), or ask its operator for more.`,
  });
}
