import { randomUUID } from "node:crypto";

import {
  type PublishingRight,
  publishingRight,
} from "../../access/permissions/publishing-right.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { blobKey } from "../../platform/blobs/blob-key.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";
import { admitStaged } from "../publish/admit.ts";
import { publishDocument } from "../publish/document.ts";
import { inspectUpload, type PackageUpload } from "../publish/inspect-upload.ts";
import { limitsOf, store } from "../publish/publish.ts";
import { rejectUpstreamName } from "../publish/upstream-name.ts";
import { versionStaged } from "../publish/version-conflict.ts";

/** A publish document from a user who may only propose versions. */
interface StageRequest {
  readonly identity: Identity;
  readonly name: string;
  readonly body: unknown;
}

/**
 * Stages a version: the steps of `publish`, but the version is not installable until an owner approves it. Returns the
 * id of the staged version.
 */
export async function stageVersion(
  hub: Hub,
  { identity, name, body }: StageRequest,
): Promise<string> {
  const { database, settings } = hub;
  const limits = limitsOf(settings);
  const right = await publishingRight(database, { identity, name, permission: "stage" });
  if (right.existingPackage === undefined) rejectUpstreamName(settings, name);
  const document = publishDocument(body, name, limits);
  const { version, tarball } = document;
  const tarballBytes = tarball.byteLength;
  await admitStaged(database, settings, { identity, right, name, version, tarballBytes });
  const upload = await inspectUpload(document, limits);
  await store(hub, [upload]);
  return await change(hub, async (change) => {
    const right = await publishingRight(change.database, { identity, name, permission: "stage" });
    await admitStaged(change.database, settings, { identity, right, name, version, tarballBytes });
    return await insertStaged(change, { identity, right, upload });
  });
}

async function insertStaged(
  { database, now, event }: Change,
  {
    identity,
    right: { existingPackage, ownerId },
    upload,
  }: {
    readonly identity: Identity;
    readonly right: PublishingRight;
    readonly upload: PackageUpload;
  },
): Promise<string> {
  const { name, version, tag, access = null, shasum, tarball, attestations, hints } = upload;
  const row = await database
    .insertInto("staged_versions")
    .values({
      id: randomUUID(),
      name,
      version,
      tag,
      access,
      blob: blobKey(upload.integrity),
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
  if (row === undefined) throw versionStaged(name, version);
  event({
    type: "version.staged",
    actor: identity.name,
    subject: `${name}@${version}`,
    detail: { id: row.id, tag },
    organisationId: ownerId,
    packageId: existingPackage?.id,
  });
  return row.id;
}
