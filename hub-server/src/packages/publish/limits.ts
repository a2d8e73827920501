import type { Settings } from "../../platform/config/settings.ts";
import { packageLimits, type PackageLimits } from "../tarball/limits.ts";

/** The package limits of a hub with these settings. */
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

/** The maximum bytes of a publish document: the tarball in base64, and 1 MiB for the rest. */
export function bodyLimitOf({ packed }: PackageLimits): number {
  return Math.ceil((packed * 4) / 3) + 2 ** 20;
}
