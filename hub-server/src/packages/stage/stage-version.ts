import { randomUUID } from "node:crypto";

import { refuseArchived } from "../../access/changes/archived.ts";
import {
  type PublishingRight,
  publishingRight,
} from "../../access/permissions/publishing-right.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { blobKey } from "../../platform/blobs/blob-key.ts";
import { keepBlobs } from "../../platform/blobs/claims.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { type Change, change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { addedBy, requireQuotaToTheEnd } from "../publish/quota.ts";
import type { VerifiedPackage } from "../publish/verify.ts";
import { refuseTaken } from "../publish/version-conflict.ts";

/** What is to be staged, and who asks for it. */
interface Staging {
  readonly identity: Identity;
  readonly verified: VerifiedPackage;
}

/** Keeps a version until an owner approves it. It is verified; nobody can install it. */
export async function stageVersion(hub: Hub, staging: Staging): Promise<string> {
  const { integrity, tarball } = staging.verified;
  const blob = blobKey(integrity);
  // What cannot be staged is not stored, either.
  await requireStageable(hub, hub.database, staging);
  await keepBlobs(hub, [{ key: blob, bytes: tarball }]);
  return await change(hub, async (change) => {
    const right = await requireStageable(hub, change.database, staging);
    const added = [addedBy(right, staging.verified)];
    await requireQuotaToTheEnd(change.database, hub.settings, added);
    return await insertStaged(change, { ...staging, right, blob });
  });
}

async function requireStageable(
  { settings }: Hub,
  database: Database,
  { identity, verified: { name, version } }: Staging,
): Promise<PublishingRight> {
  await requireRoom(database, { identity, settings });
  const right = await publishingRight(database, { identity, name, wanted: "stage" });
  const { existing } = right;
  if (existing !== undefined) {
    refuseArchived(existing);
    await refuseTaken(database, { packageId: existing.id, name, version });
  }
  const staged = await database
    .selectFrom("staged_versions")
    .where("name", "=", name)
    .where("version", "=", version)
    .select("id")
    .executeTakeFirst();
  if (staged !== undefined) throw isStaged({ name, version });
  return right;
}

async function insertStaged(
  { database, now, event }: Change,
  {
    identity,
    verified,
    right: { existing, ownerId },
    blob,
  }: Staging & { readonly right: PublishingRight; readonly blob: string },
): Promise<string> {
  const { name, version, tag, access = null, shasum, tarball, attestations, hints } = verified;
  const staged = await database
    .insertInto("staged_versions")
    .values({
      id: randomUUID(),
      name,
      version,
      tag,
      access,
      blob,
      shasum,
      size: tarball.byteLength,
      attestations: JSON.stringify(attestations),
      hints: JSON.stringify(hints),
      owner_id: ownerId,
      staged_by: identity.userId,
      actor_type: identity.token.purpose,
      created_at: now,
    })
    .onConflict((conflict) => conflict.columns(["name", "version"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (staged === undefined) throw isStaged({ name, version });
  event({
    type: "version.staged",
    actor: identity.name,
    subject: `${name}@${version}`,
    detail: { id: staged.id, tag },
    organisationId: ownerId,
    ...(existing !== undefined && { packageId: existing.id }),
  });
  return staged.id;
}

/** What is staged is stored, and nobody has looked at it yet. */
async function requireRoom(
  database: Database,
  { identity, settings }: { readonly identity: Identity; readonly settings: Settings },
): Promise<void> {
  if (settings.HUB_LIMITS === "off") return;
  const { count } = await database
    .selectFrom("staged_versions")
    .where("staged_by", "=", identity.userId)
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < settings.HUB_PUBLISHES_PER_HOUR) return;
  throw new HubError("too-many-staged", {
    message: `${count} versions that ${identity.name} has staged wait for approval. Approve or reject some: npm stage list`,
  });
}

function isStaged({ name, version }: Pick<VerifiedPackage, "name" | "version">): HubError {
  return new HubError("version-staged", {
    message: `${name}@${version} is staged already. Approve or reject it (npm stage list ${name}), or stage another version.`,
  });
}
