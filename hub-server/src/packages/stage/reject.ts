import type { Identity } from "../../identity/request/identity.ts";
import { claimBlobs } from "../../platform/blobs/claims.ts";
import { change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { endStaged } from "../publish/end-staged.ts";
import type { StagedVersion } from "./staged.ts";

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
