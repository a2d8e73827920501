import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";

/** A tarball that counts towards the quota of its package's owner. */
interface NewTarball {
  readonly right: PublishingRight;
  readonly tarballBytes: number;
}

type QuotaSettings = Pick<Settings, "HUB_OWNER_BYTES" | "HUB_REGISTRATION">;

/** The default with open registration: 50 environments of 100 MB. */
const openQuota = 5 * 2 ** 30;

/** The quota of owners who do not have another one; undefined if the hub has no quotas. */
function defaultQuota({ HUB_OWNER_BYTES, HUB_REGISTRATION }: QuotaSettings): number | undefined {
  return HUB_OWNER_BYTES ?? (HUB_REGISTRATION === "open" ? openQuota : undefined);
}

/** The storage of an owner. */
export interface StorageUse {
  readonly storedBytes: number;
  readonly quota: number;
}

/** Reads the storage of an owner; undefined if the hub has no quotas. */
export async function storageUse(
  database: Database,
  settings: QuotaSettings,
  ownerId: number,
): Promise<StorageUse | undefined> {
  const quota = defaultQuota(settings);
  if (quota === undefined) return undefined;
  const { quota_bytes } = await database
    .selectFrom("accounts")
    .where("id", "=", ownerId)
    .select("quota_bytes")
    .executeTakeFirstOrThrow();
  const storedBytes = await storedBytesOf(database, ownerId);
  return { storedBytes, quota: quota_bytes ?? quota };
}

/** Sets the quota of an owner, or, with null, restores the default one. */
export async function setQuota(
  hub: Hub,
  {
    name,
    bytes,
    actor,
  }: { readonly name: string; readonly bytes: number | null; readonly actor: string },
): Promise<void> {
  await change(hub, async ({ database, event }) => {
    const account = await database
      .updateTable("accounts")
      .set({ quota_bytes: bytes })
      .where("name", "=", name)
      .returning("id")
      .executeTakeFirst();
    if (account === undefined) throw notFound(`The account ${name.slice(0, 100)}`);
    const detail = { bytes };
    event({
      type: "account.quota-changed",
      actor,
      subject: name,
      detail,
      organisationId: account.id,
    });
  });
}

/** Rejects tarballs that exceed their owner's storage quota, if the hub has quotas. */
export async function requireQuota(
  database: Database,
  settings: QuotaSettings,
  tarballs: readonly NewTarball[],
): Promise<void> {
  for (const [ownerId, ownTarballs] of Map.groupBy(tarballs, ({ right }) => right.ownerId)) {
    const newBytes = ownTarballs.reduce((sum, { tarballBytes }) => sum + tarballBytes, 0);
    const use = await storageUse(database, settings, ownerId);
    if (use !== undefined && use.storedBytes + newBytes > use.quota)
      throw await quotaExceeded(database, { ...use, ownerId, newBytes });
  }
}

/** Like {@link requireQuota}, and locks the owners: no other transaction can add to their storage until this one ends. */
export async function requireQuotaLocked(
  transaction: Database,
  settings: QuotaSettings,
  tarballs: readonly NewTarball[],
): Promise<void> {
  if (defaultQuota(settings) === undefined || tarballs.length === 0) return;
  await transaction
    .selectFrom("accounts")
    .where("id", "in", [...new Set(tarballs.map(({ right }) => right.ownerId))])
    .orderBy("id")
    .select("id")
    .forNoKeyUpdate()
    .execute();
  await requireQuota(transaction, settings, tarballs);
}

/** The bytes of an owner's published and staged tarballs, and of the runs that a user pushed. */
async function storedBytesOf(database: Database, ownerId: number): Promise<number> {
  const { published, staged, runs } = await database
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
      query
        .selectFrom("run_parts")
        .innerJoin("runs", "runs.id", "run_parts.run_id")
        .where("runs.owner_id", "=", ownerId)
        .select(({ fn }) =>
          fn.coalesce(fn.sum<number>("run_parts.blob_bytes"), query.lit(0)).as("sum"),
        )
        .as("runs"),
    ])
    .executeTakeFirstOrThrow();
  return Number(published) + Number(staged) + Number(runs);
}

async function quotaExceeded(
  database: Database,
  {
    ownerId,
    storedBytes,
    newBytes,
    quota,
  }: {
    readonly ownerId: number;
    readonly storedBytes: number;
    readonly newBytes: number;
    readonly quota: number;
  },
): Promise<HubError> {
  const { name } = await database
    .selectFrom("accounts")
    .where("id", "=", ownerId)
    .select("name")
    .executeTakeFirstOrThrow();
  return new HubError("owner-full", {
    message: `Storage quota of ${name} exceeded: ${storedBytes} + ${newBytes} > ${quota} bytes. Reject staged versions (npm stage list), delete runs, or ask this hub's operator for a larger quota.`,
  });
}
