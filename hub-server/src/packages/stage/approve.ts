import type { PublishingRight } from "../../access/permissions/publishing-right.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { stageEnded } from "../publish/end-staged.ts";
import { limitsOf } from "../publish/limits.ts";
import { publishVersions } from "../publish/publish.ts";
import type { VerifiedPackage } from "../publish/verify.ts";
import { inspectTarball } from "../tarball/inspect.ts";
import type { Staged } from "./staged.ts";

/** Publishes a version that waits, in the name of who approves it. */
export async function approveStaged(
  hub: Hub,
  {
    identity,
    staged,
    right,
  }: {
    readonly identity: Identity;
    readonly staged: Staged;
    readonly right: PublishingRight;
  },
): Promise<void> {
  const verified = await verifiedAgain(hub, staged);
  await publishVersions(hub, [{ actor: identity, right, verified, stageId: staged.id }]);
}

/** The bytes are those that were verified; what is in them is read again. */
async function verifiedAgain(
  { database, blobs, settings }: Hub,
  { id, version, tag, access, blob }: Staged,
): Promise<VerifiedPackage> {
  const came = await database
    .selectFrom("staged_versions")
    .where("id", "=", id)
    .select(["attestations", "hints"])
    .executeTakeFirst();
  if (came === undefined) throw stageEnded();
  const bytes = await blobs.get(blob);
  if (bytes === undefined) throw new Error(`The blob ${blob} is missing.`);
  const tarball = Uint8Array.from(bytes);
  const inspected = await inspectTarball(tarball, limitsOf(settings));
  return {
    ...inspected,
    version,
    tag,
    tarball,
    ...came,
    ...(access !== null && { access }),
  };
}
