import type { Identity } from "../accounts/identity.ts";
import { claimBlobs } from "../blobs/claims.ts";
import { change } from "../database/change.ts";
import type { Hub } from "../hub.ts";
import { endStaged } from "./end-staged.ts";
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
