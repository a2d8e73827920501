import type { Settings } from "../../platform/config/settings.ts";
import { configuredUpstream } from "../../platform/config/upstreams.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { packageName } from "../../platform/names/package-name.ts";

/** Rejects a new package whose name belongs to an upstream. With `*`, accounts of this hub still own their scopes. */
export function rejectUpstreamName({ HUB_UPSTREAM }: Settings, name: string): void {
  const configured = HUB_UPSTREAM && configuredUpstream(HUB_UPSTREAM, name);
  if (configured === undefined) return;
  const { scope } = packageName(name);
  if (!configured.isExplicit && scope !== undefined) return;
  throw new HubError("name-of-upstream", {
    message: `${name} cannot be published here, because this hub serves ${scope === undefined ? "this name" : `the scope @${scope}`} from ${configured.upstream.origin}. Publish under another scope, or ask the operator to exclude it: !${scope === undefined ? name : `@${scope}`} in HUB_UPSTREAM.`,
  });
}
