import { clean, UsageError } from "@envs/terminal";
import semver from "semver";

/** The versions and dist-tags of a package. */
export interface PackageVersions {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly isYanked: boolean }[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The consequence of a yank, for messages. */
export const yankedNotice = "only lockfiles that already contain it can install it";

/** The error for a version that does not exist or is yanked. Lists the dist-tags. */
export function versionNotFoundError(
  { name, versions, tags }: PackageVersions,
  range = "latest",
): UsageError {
  const cleanName = clean(name);
  if (versions.length > 0 && versions.every(({ isYanked }) => isYanked))
    return new UsageError(
      `Every version of ${cleanName} is yanked: only lockfiles that already contain one can install it.`,
    );
  const yanked = versions
    .filter(({ version, isYanked }) => isYanked && matchesRange(version, range))
    .map(({ version }) => clean(version));
  const tagged = Object.entries(tags).map(([tag, version]) => `${clean(tag)} ${clean(version)}`);
  const reason =
    yanked.length === 0
      ? `${cleanName} has no version ${range}.`
      : `${cleanName} ${yanked.join(", ")} ${yanked.length === 1 ? "is" : "are"} yanked: ${yankedNotice}.`;
  return new UsageError(
    `${reason} Available: ${tagged.join(", ") || "none"}. See: envs info ${cleanName}`,
  );
}

function matchesRange(version: string, range: string): boolean {
  return version === range || semver.satisfies(version, range);
}
