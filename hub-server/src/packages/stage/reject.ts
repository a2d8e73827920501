import type { Identity } from "../../identity/request/identity.ts";
import { claimBlobs } from "../../platform/blobs/claims.ts";
import { change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { endStaged } from "../publish/end-staged.ts";
import type { Staged } from "./staged.ts";

/** Rejects a version that waits. Its number is free again; its bytes stay until the store is swept, a day later at the earliest. */
export async function rejectStaged(
  hub: Hub,
  { identity, staged }: { readonly identity: Identity; readonly staged: Staged },
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
      ...(packageId !== null && { packageId }),
    });
  });
}
