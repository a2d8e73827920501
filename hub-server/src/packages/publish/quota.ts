import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database, Row } from "../../platform/database/tables.ts";
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
  const { quota_bytes, stored_bytes } = await database
    .selectFrom("accounts")
    .where("id", "=", ownerId)
    .select(["quota_bytes", "stored_bytes"])
    .executeTakeFirstOrThrow();
  return { storedBytes: stored_bytes, quota: quota_bytes ?? quota };
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
  if (defaultQuota(settings) === undefined || tarballs.length === 0) return;
  rejectAboveQuota(await ownersOf(database, tarballs).execute(), settings, tarballs);
}

/** Like {@link requireQuota}, and locks the owners: no other transaction can add to their storage until this one ends. */
export async function requireQuotaLocked(
  transaction: Database,
  settings: QuotaSettings,
  tarballs: readonly NewTarball[],
): Promise<void> {
  if (tarballs.length === 0) return;
  // Also without quotas: otherwise, the changes of the totals could lock several owners in another order.
  const owners = await ownersOf(transaction, tarballs).forNoKeyUpdate().execute();
  rejectAboveQuota(owners, settings, tarballs);
}

function ownersOf(database: Database, tarballs: readonly NewTarball[]) {
  return database
    .selectFrom("accounts")
    .where("id", "in", [...new Set(tarballs.map(({ right }) => right.ownerId))])
    .orderBy("id")
    .select(["id", "name", "quota_bytes", "stored_bytes"]);
}

function rejectAboveQuota(
  owners: readonly Pick<Row<"accounts">, "id" | "name" | "quota_bytes" | "stored_bytes">[],
  settings: QuotaSettings,
  tarballs: readonly NewTarball[],
): void {
  const hubQuota = defaultQuota(settings);
  if (hubQuota === undefined) return;
  for (const { id, name, quota_bytes, stored_bytes } of owners) {
    const quota = quota_bytes ?? hubQuota;
    const newBytes = tarballs
      .filter(({ right }) => right.ownerId === id)
      .reduce((sum, { tarballBytes }) => sum + tarballBytes, 0);
    if (stored_bytes + newBytes > quota)
      throw new HubError("owner-full", {
        message: `Storage quota of ${name} exceeded: ${stored_bytes} + ${newBytes} > ${quota} bytes. Reject staged versions (npm stage list), delete runs, or ask this hub's operator for a larger quota.`,
      });
  }
}
