import { revisionText } from "../../access/changes/change-package.ts";
import { administratorMark, scopeMark } from "../../access/permissions/administrator-mark.ts";
import { publishingRight } from "../../access/permissions/publishing-right.ts";
import type { Package } from "../../access/permissions/require-package.ts";
import { blobKey } from "../../platform/blobs/blob-key.ts";
import { isUniqueViolation } from "../../platform/database/unique-violation.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { type Signature, signatureOf } from "../signatures/sign.ts";
import { admitIntoPackage, admitLocked } from "./admit.ts";
import { endStaged } from "./end-staged.ts";
import { createPackage, insertVersion } from "./insert-version.ts";
import type { InspectedSubmission } from "./submission.ts";

/** A published version, and the package's new `_rev`. */
export interface Published {
  readonly name: string;
  readonly version: string;
  readonly rev: string;
}

type SignedSubmission = InspectedSubmission & { readonly signatures: readonly Signature[] };

/** Publishes submissions in one transaction. Their tarballs are stored already. */
export async function commit(
  hub: Hub,
  submissions: readonly InspectedSubmission[],
): Promise<readonly Published[]> {
  // The first signature creates the hub's key, so sign outside the transaction.
  const signed = await Promise.all(
    submissions.map(async (submission) => ({
      ...submission,
      signatures: await signatureOf(hub, submission.upload),
    })),
  );
  try {
    return await change(hub, (change) => insertAll(hub, change, signed));
  } catch (error) {
    if (!isUniqueViolation(error, "packages_name_key")) throw error;
    // A concurrent publish created one of the packages, so the rights may differ now.
    return await commit(hub, await withCurrentRights(hub, submissions));
  }
}

async function withCurrentRights(
  { database }: Hub,
  submissions: readonly InspectedSubmission[],
): Promise<readonly InspectedSubmission[]> {
  return await Promise.all(
    submissions.map(async (submission) => ({
      ...submission,
      right: await publishingRight(database, submission),
    })),
  );
}

async function insertAll(
  { settings }: Hub,
  change: Change,
  submissions: readonly SignedSubmission[],
): Promise<Published[]> {
  const packages = await lockPackages(change, submissions);
  await admitLocked(change.database, settings, submissions);
  const published: Published[] = [];
  for (const submission of submissions.toSorted(byPackage)) {
    const { name, version } = submission;
    const existing = packages.get(name);
    // A new package has room for every package.json, and no moderator has restricted it.
    if (existing !== undefined)
      await admitIntoPackage(change.database, existing, submission.upload);
    const package_ = existing ?? (await createPackageOf(change, submission));
    packages.set(name, package_);
    await insertOne(change, package_, submission);
    const rev = revisionText({ ...package_, revision: package_.revision + 1 });
    published.push({ name, version, rev });
  }
  return published;
}

/** Existing packages by id, then new ones by name. All transactions use this order, so that none deadlock. */
function byPackage(a: SignedSubmission, b: SignedSubmission): number {
  const idOf = ({ right }: SignedSubmission): number => right.existingPackage?.id ?? Infinity;
  if (idOf(a) !== idOf(b)) return idOf(a) - idOf(b);
  return a.name < b.name ? -1 : 1;
}

async function lockPackages(
  { database }: Change,
  submissions: readonly SignedSubmission[],
): Promise<Map<string, Package>> {
  const ids = submissions.flatMap(({ right }) => right.existingPackage?.id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await database
    .selectFrom("packages")
    .where("id", "in", ids)
    .orderBy("id")
    .forUpdate()
    .selectAll()
    .execute();
  return new Map(rows.map((row) => [row.name, row]));
}

async function createPackageOf(
  { database, now, event }: Change,
  { identity, right, name, upload: { access = "public" } }: SignedSubmission,
): Promise<Package> {
  const package_ = await createPackage(database, {
    name,
    ownerId: right.ownerId,
    creatorId: identity.userId,
    access,
    now,
  });
  event({
    type: "package.created",
    actor: identity.name,
    subject: name,
    detail: { access, ...(await scopeMark(database, identity, right.ownerId)) },
    packageId: package_.id,
  });
  return package_;
}

async function insertOne(
  { database, now, event, touch }: Change,
  package_: Package,
  { identity, upload, stageId, signatures, attestations }: SignedSubmission,
): Promise<void> {
  const { name, version, integrity, tag } = upload;
  const publishRight = { packageId: package_.id, required: "publish" } as const;
  if (stageId !== undefined) await endStaged(database, stageId);
  await insertVersion(database, {
    packageId: package_.id,
    upload,
    blob: blobKey(integrity),
    signatures,
    attestations,
    publisherId: identity.userId,
    now,
  });
  event({
    type: "version.published",
    actor: identity.name,
    subject: `${name}@${version}`,
    detail: { integrity, tag, ...(await administratorMark(database, identity, publishRight)) },
    packageId: package_.id,
  });
  touch(package_);
}
