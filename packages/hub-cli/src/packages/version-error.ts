import { clean, UsageError } from "@envs/terminal";
import semver from "semver";

/** The versions of a package, and those that have names. */
export interface Versions {
  readonly name: string;
  readonly versions: readonly { readonly version: string; readonly isYanked: boolean }[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The error for a version that a package does not have, or that is yanked, with those that it has. */
export function noVersion({ name, versions, tags }: Versions, wanted = "latest"): UsageError {
  const shown = clean(name);
  if (versions.length > 0 && versions.every(({ isYanked }) => isYanked))
    return new UsageError(
      `Every version of ${shown} is yanked: whoever has one in a lockfile still gets it, and nobody else gets any.`,
    );
  const yanked = versions.filter(({ version, isYanked }) => isYanked && means(wanted, version));
  const named = Object.entries(tags).map(([tag, of]) => `${clean(tag)} ${clean(of)}`);
  const reason =
    yanked.length === 0
      ? `${shown} has no version ${wanted}.`
      : `${shown} ${yanked.map(({ version }) => clean(version)).join(", ")} ${yanked.length === 1 ? "is" : "are"} yanked: whoever has it in a lockfile still gets it, and nobody else does.`;
  return new UsageError(
    `${reason} There is: ${named.join(", ") || "none"}. See: envs info ${shown}`,
  );
}

function means(wanted: string, version: string): boolean {
  return version === wanted || semver.satisfies(version, wanted);
}
