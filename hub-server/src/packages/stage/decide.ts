import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import type { Identity } from "../../identity/request/identity.ts";
import { claimBlobs } from "../../platform/blobs/claims.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { endStaged, stageEnded } from "../publish/end-staged.ts";
import type { PackageUpload } from "../publish/inspect-upload.ts";
import { limitsOf, publishSubmissions } from "../publish/publish.ts";
import { inspectTarball } from "../tarball/inspect.ts";
import type { StagedVersion } from "./staged.ts";

/** Publishes a staged version. The user who approves it becomes its publisher. */
export async function approveStaged(
  hub: Hub,
  {
    identity,
    staged,
    right,
  }: {
    readonly identity: Identity;
    readonly staged: StagedVersion;
    readonly right: PublishingRight;
  },
): Promise<void> {
  const { id: stageId, name, version, size: tarballBytes } = staged;
  const inspect = (): Promise<PackageUpload> => inspectStaged(hub, staged);
  await publishSubmissions(hub, [
    { identity, right, name, version, tarballBytes, stageId, inspect },
  ]);
}

/** Reads the stored tarball again; its document was checked when it was staged. */
export async function inspectStaged(
  { database, blobs, settings }: Hub,
  { id, tag, access, blob }: StagedVersion,
): Promise<PackageUpload> {
  const metadata = await database
    .selectFrom("staged_versions")
    .where("id", "=", id)
    .select(["attestations", "hints"])
    .executeTakeFirst();
  if (metadata === undefined) throw stageEnded();
  const bytes = await blobs.get(blob);
  if (bytes === undefined) throw new Error(`The blob ${blob} is missing.`);
  const tarball = Uint8Array.from(bytes);
  const inspected = await inspectTarball(tarball, limitsOf(settings));
  return { ...inspected, ...metadata, tag, tarball, access: access ?? undefined };
}

/** Rejects a staged version and frees its number. The sweep deletes the tarball, at the earliest after a day. */
export async function rejectStaged(
  hub: Hub,
  { identity, staged }: { readonly identity: Identity; readonly staged: StagedVersion },
): Promise<void> {
  const { id, name, version, packageId, owner_id, blob } = staged;
  await change(hub, async ({ database, event, now }) => {
    await endStaged(database, id);
    await claimBlobs(database, { keys: [blob], now });
    event({
      type: "version.rejected",
      actor: identity.name,
      subject: `${name}@${version}`,
      detail: { id },
      organisationId: owner_id,
      packageId: packageId ?? undefined,
    });
  });
}
