import { randomUUID } from "node:crypto";

import { publishingRight } from "../access/publishing.ts";
import type { Identity } from "../accounts/identity.ts";
import { blobKey } from "../blobs/blob-key.ts";
import { refuseArchived } from "../changes/archived.ts";
import type { Settings } from "../config/settings.ts";
import { type Change, change } from "../database/change.ts";
import { HubError } from "../http/errors.ts";
import type { Hub } from "../hub.ts";
import type { VerifiedPackage } from "../publish/verify.ts";

/** What is to be staged, and who asks for it. */
interface Staging {
  readonly identity: Identity;
  readonly verified: VerifiedPackage;
}

/** Keeps a version until an owner approves it. It is verified; nobody can install it. */
export async function stageVersion(hub: Hub, { identity, verified }: Staging): Promise<string> {
  const blob = blobKey(verified.integrity);
  await hub.blobs.put(blob, verified.tarball);
  return await change(hub, async (change) => {
    await requireRoom(change, { identity, settings: hub.settings });
    return await insertStaged(change, { identity, verified, blob });
  });
}

async function insertStaged(
  { database, now, event }: Change,
  { identity, verified, blob }: Staging & { readonly blob: string },
): Promise<string> {
  const { name, version, tag, access = null, shasum, tarball, attestations, hints } = verified;
  const right = { identity, name, wanted: "stage" } as const;
  const { existing, ownerId } = await publishingRight(database, right);
  if (existing !== undefined) {
    refuseArchived(existing);
    const taken = await database
      .selectFrom("versions")
      .where("package_id", "=", existing.id)
      .where("version", "=", version)
      .select("id")
      .executeTakeFirst();
    if (taken !== undefined)
      throw new HubError(409, "version-exists", {
        message: `${name}@${version} has been published, and a number is not used twice. Raise the version in package.json.`,
      });
  }
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
  if (staged === undefined)
    throw new HubError(409, "version-staged", {
      message: `${name}@${version} is staged already. Approve or reject it (npm stage list ${name}), or stage another version.`,
    });
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
  { database }: Change,
  { identity, settings }: { readonly identity: Identity; readonly settings: Settings },
): Promise<void> {
  if (settings.HUB_LIMITS === "off") return;
  const { count } = await database
    .selectFrom("staged_versions")
    .where("staged_by", "=", identity.userId)
    .select((row) => row.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < settings.HUB_PUBLISHES_PER_HOUR) return;
  throw new HubError(403, "too-many-staged", {
    message: `${count} versions that ${identity.name} has staged wait for approval. Approve or reject some: npm stage list`,
  });
}
