import type { Identity } from "../accounts/identity.ts";
import { change } from "../database/change.ts";
import type { Hub } from "../hub.ts";
import { endStaged } from "./end-staged.ts";
import type { Staged } from "./staged.ts";

/** Rejects a version that waits. Its number is free again; its bytes stay until nothing has them and the store is swept. */
export async function rejectStaged(
  hub: Hub,
  { identity, staged }: { readonly identity: Identity; readonly staged: Staged },
): Promise<void> {
  const { id, name, version, packageId, owner_id } = staged;
  await change(hub, async ({ database, event }) => {
    await endStaged(database, id);
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
