import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import { type Package, rejectArchived } from "../../access/permissions/require-package.ts";
import { rejectRestricted } from "../../access/permissions/restriction.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { PackageUpload } from "./inspect-upload.ts";
import { requireQuota, requireQuotaLocked } from "./quota.ts";
import { requireRate } from "./rate.ts";
import type { Submission } from "./submission.ts";
import { rejectVersionConflict } from "./version-conflict.ts";

/*
 * All checks of a version against the state of the hub, with their error codes. They run before the tarball is unpacked
 * and stored; the checks that a concurrent publish can invalidate run again in the transaction, under locks.
 *
 *   owner-full           the owner's tarballs exceed the storage quota
 *   too-many-publishes   the user exceeds the versions per hour, or the new packages per week
 *   too-many-staged      the user has too many staged versions
 *   package-archived     the package is archived
 *   version-exists       the version is published
 *   version-unpublished  the version was published and unpublished
 *   version-staged       the version is staged
 *   package-full         the package's document grows too large for clients
 */

/** Limit of all package.json files of a package: about ten thousand versions with a long package.json. */
const maxManifestBytes = 16 * 2 ** 20;

/** Checks submissions before they are inspected. */
export async function admit(hub: Hub, submissions: readonly Submission[]): Promise<void> {
  await requireQuota(hub.database, hub.settings, submissions.filter(isNewStorage));
  await requireRate(hub, submissions);
  for (const submission of submissions) await admitVersion(hub.database, submission);
}

/** Checks a version before it is staged, and again in the transaction that stages it. */
export async function admitStaged(
  database: Database,
  settings: Settings,
  submission: Omit<Submission, "stageId" | "inspect">,
): Promise<void> {
  await requireQuotaLocked(database, settings, [submission]);
  await requireStagingRoom(database, settings, submission.identity);
  await admitVersion(database, submission);
}

async function admitVersion(
  database: Database,
  {
    right: { existingPackage },
    name,
    version,
    stageId,
  }: {
    readonly right: PublishingRight;
    readonly name: string;
    readonly version: string;
    readonly stageId?: string | undefined;
  },
): Promise<void> {
  if (existingPackage !== undefined) {
    await rejectRestricted(database, existingPackage);
    rejectArchived(existingPackage);
  }
  const packageId = existingPackage?.id;
  await rejectVersionConflict(database, { packageId, name, version, stageId });
}

/** Checks the quotas of all owners, and locks them until the transaction ends. */
export async function admitLocked(
  transaction: Database,
  settings: Settings,
  submissions: readonly Submission[],
): Promise<void> {
  await requireQuotaLocked(transaction, settings, submissions.filter(isNewStorage));
}

/** Checks a version against its locked package. The insertion itself rejects a version conflict. */
export async function admitIntoPackage(
  transaction: Database,
  package_: Package,
  upload: PackageUpload,
): Promise<void> {
  await rejectRestricted(transaction, package_);
  rejectArchived(package_);
  await requireDocumentRoom(transaction, package_, upload);
}

function isNewStorage({ stageId }: Submission): boolean {
  return stageId === undefined;
}

async function requireStagingRoom(
  database: Database,
  { HUB_LIMITS, HUB_PUBLISHES_PER_HOUR }: Settings,
  { userId, name }: Identity,
): Promise<void> {
  if (HUB_LIMITS === "off") return;
  const { count } = await database
    .selectFrom("staged_versions")
    .where("staged_by", "=", userId)
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < HUB_PUBLISHES_PER_HOUR) return;
  throw new HubError("too-many-staged", {
    message: `${name} has ${count} staged versions, which is the limit. Approve or reject some: npm stage list`,
  });
}

/** Clients read the document of a package whole, so its size has a limit. */
async function requireDocumentRoom(
  database: Database,
  { id, name }: Package,
  { manifest }: PackageUpload,
): Promise<void> {
  const { sum } = await database
    .selectFrom("versions")
    .where("package_id", "=", id)
    .where("unpublished_at", "is", null)
    .select((row) => row.fn.sum<number | null>("manifest_bytes").as("sum"))
    .executeTakeFirstOrThrow();
  const bytes = sum ?? 0;
  const newBytes = Buffer.byteLength(JSON.stringify(manifest));
  if (bytes + newBytes <= maxManifestBytes) return;
  throw new HubError("package-full", {
    message: `The package.json files of all versions of ${name} exceed the limit: ${bytes} + ${newBytes} > ${maxManifestBytes} bytes. Shorten package.json, or publish under another name.`,
  });
}
