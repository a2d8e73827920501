import { publishingRight } from "../access/publishing.ts";
import type { Identity } from "../accounts/identity.ts";
import type { Hub } from "../hub.ts";
import { limitsOf } from "../publish/limits.ts";
import { publishVersions } from "../publish/publish.ts";
import type { VerifiedPackage } from "../publish/verify.ts";
import { inspectTarball } from "../tarball/inspect.ts";
import type { Staged } from "./staged.ts";

/** Publishes a version that waits, in the name of who approves it. */
export async function approveStaged(
  hub: Hub,
  { identity, staged }: { readonly identity: Identity; readonly staged: Staged },
): Promise<void> {
  const { id, name } = staged;
  const right = await publishingRight(hub.database, { identity, name });
  const verified = await verifiedAgain(hub, staged);
  await publishVersions(hub, [{ actor: identity, right, verified, stageId: id }]);
}

/** The bytes are those that were verified; what is in them is read again. */
async function verifiedAgain(
  { blobs, settings }: Hub,
  { version, tag, access, blob, attestations, hints }: Staged,
): Promise<VerifiedPackage> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined) throw new Error(`The blob ${blob} is missing.`);
  const tarball = Uint8Array.from(bytes);
  const inspected = await inspectTarball(tarball, limitsOf(settings));
  return {
    ...inspected,
    version,
    tag,
    tarball,
    attestations,
    hints,
    ...(access !== null && { access }),
  };
}
