import type { Settings } from "../../platform/config/settings.ts";
import { packageLimits, type PackageLimits } from "../tarball/limits.ts";

/** How large a package may be on a hub with these settings. */
export function limitsOf({
  HUB_TARBALL_BYTES,
  HUB_UNPACKED_BYTES,
  HUB_FILES,
}: Settings): PackageLimits {
  return {
    ...packageLimits,
    packed: HUB_TARBALL_BYTES,
    unpacked: HUB_UNPACKED_BYTES,
    entries: HUB_FILES,
  };
}

/** The largest body that publishes one package: its tarball in base64, and the document around it. */
export function bodyLimitOf({ packed }: PackageLimits): number {
  return Math.ceil((packed * 4) / 3) + 2 ** 20;
}
