import { refuseArchived } from "../../access/changes/archived.ts";
import { revisionText } from "../../access/changes/revision.ts";
import type { Package } from "../../access/permissions/permissions.ts";
import {
  type PublishingRight,
  publishingRight,
} from "../../access/permissions/publishing-right.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { blobKey } from "../../platform/blobs/blob-key.ts";
import { keepBlobs } from "../../platform/blobs/claims.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/connect.ts";
import { isUniqueViolation } from "../../platform/database/unique-violation.ts";
import { type Change, change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { signatureOf } from "../signatures/sign.ts";
import { requireDocumentRoom } from "./document-room.ts";
import { endStaged } from "./end-staged.ts";
import { insertVersion, type NewVersion } from "./insert-version.ts";
import { newPackage } from "./new-package.ts";
import { addedBy, requireQuotaToTheEnd } from "./quota.ts";
import { requireRate } from "./rate.ts";
import type { VerifiedPackage } from "./verify.ts";
import { refuseTaken } from "./version-conflict.ts";

/** A version that somebody may publish. */
export interface Publication {
  readonly actor: Identity;
  readonly right: PublishingRight;
  readonly verified: VerifiedPackage;
  /** As what it is staged until now. */
  readonly stageId?: string;
}

/** What has been published, and the package's `_rev` since. */
export interface Published {
  readonly name: string;
  readonly version: string;
  readonly rev: string;
}

type Prepared = Publication & Pick<NewVersion, "blob" | "signatures" | "attestations">;

/** Publishes versions, all of them or none. */
export async function publishVersions(
  hub: Hub,
  publications: readonly Publication[],
): Promise<readonly Published[]> {
  const prepared = await Promise.all(publications.map((each) => prepare(hub, each)));
  await requireRate(hub, publications);
  for (const each of publications) await refuseHopeless(hub.database, each);
  await keepBlobs(
    hub,
    prepared.map(({ blob, verified }) => ({ key: blob, bytes: verified.tarball })),
  );
  try {
    return await change(hub, (change) => insertAll(change, prepared, hub.settings));
  } catch (error) {
    if (!isUniqueViolation(error, "packages_name_key")) throw error;
    // Somebody took one of the names at this moment, so that it is another question who may publish it.
    return await publishVersions(
      hub,
      await Promise.all(publications.map((each) => again(hub, each))),
    );
  }
}

/** What cannot be published is not stored, either. */
async function refuseHopeless(
  database: Database,
  { right: { existing }, verified: { name, version } }: Publication,
): Promise<void> {
  if (existing === undefined) return;
  refuseArchived(existing);
  await refuseTaken(database, { packageId: existing.id, name, version });
}

async function prepare(hub: Hub, publication: Publication): Promise<Prepared> {
  const { verified } = publication;
  return {
    ...publication,
    blob: blobKey(verified.integrity),
    signatures: await signatureOf(hub, verified),
    attestations: await verifiedAttestations(hub, verified),
  };
}

/** Few versions come with any, so that what verifies them is loaded for those. */
async function verifiedAttestations(
  hub: Hub,
  verified: VerifiedPackage,
): Promise<NewVersion["attestations"]> {
  if (verified.attestations.length === 0) return [];
  const { verifyAttestations } = await import("../attestations/verify.ts");
  const bundles = verified.attestations.map(({ text }) => text);
  return verifyAttestations(hub, { verified, bundles });
}

async function again(hub: Hub, publication: Publication): Promise<Publication> {
  const { actor: identity, verified } = publication;
  const right = await publishingRight(hub.database, { identity, name: verified.name });
  return { ...publication, right };
}

/** Whoever publishes several locks their rows in one order, so that no two wait for each other. */
async function insertAll(
  change: Change,
  prepared: readonly Prepared[],
  settings: Settings,
): Promise<Published[]> {
  const packages = await lockedPackages(change, prepared);
  // What was staged counts already.
  const added = prepared.filter(({ stageId }) => stageId === undefined);
  await requireQuotaToTheEnd(
    change.database,
    settings,
    added.map(({ right, verified }) => addedBy(right, verified)),
  );
  const published: Published[] = [];
  for (const each of prepared.toSorted(byPackage)) {
    const { name, version } = each.verified;
    const found = packages.get(name) ?? (await created(change, each));
    packages.set(name, found);
    await insertOne(change, found, each);
    published.push({
      name,
      version,
      rev: revisionText({ ...found, revision: found.revision + 1 }),
    });
  }
  return published;
}

function byPackage(a: Prepared, b: Prepared): number {
  const [one, other] = [a.right.existing?.id ?? Infinity, b.right.existing?.id ?? Infinity];
  if (one !== other) return one - other;
  return a.verified.name < b.verified.name ? -1 : 1;
}

async function lockedPackages(
  { database }: Change,
  prepared: readonly Prepared[],
): Promise<Map<string, Package>> {
  const ids = prepared.flatMap(({ right }) => right.existing?.id ?? []);
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

async function created({ database, now, event }: Change, each: Prepared): Promise<Package> {
  const { actor, right, verified } = each;
  const { name, access = "public" } = verified;
  const found = await newPackage(database, {
    name,
    ownerId: right.ownerId,
    creatorId: actor.userId,
    access,
    now,
  });
  event({
    type: "package.created",
    actor: actor.name,
    subject: name,
    detail: { access },
    packageId: found.id,
  });
  return found;
}

async function insertOne(
  { database, now, event, touch }: Change,
  found: Package,
  { actor, verified, stageId, ...rest }: Prepared,
): Promise<void> {
  const { name, version, integrity, tag } = verified;
  refuseArchived(found);
  if (stageId !== undefined) await endStaged(database, stageId);
  await requireDocumentRoom(database, { packageId: found.id, verified });
  await insertVersion(database, {
    ...rest,
    verified,
    packageId: found.id,
    publisherId: actor.userId,
    now,
  });
  event({
    type: "version.published",
    actor: actor.name,
    subject: `${name}@${version}`,
    detail: { integrity, tag },
    packageId: found.id,
  });
  touch(found);
}
