import { clean, paint, success } from "@envs/cli/kit";
import semver from "semver";

/** The result of yanking a version, or of undoing that. */
export interface YankResult {
  readonly hub: string;
  readonly name: string;
  readonly version: string;
  readonly isYanked: boolean;
  /** False if the version was in this state before. */
  readonly isChanged: boolean;
  /** The version of the tag `latest`; `null` if every version is yanked. */
  readonly latest: string | null;
}

/** The result of archiving a package, or of undoing that. */
export interface ArchiveResult {
  readonly hub: string;
  readonly name: string;
  readonly isArchived: boolean;
  /** False if the package was in this state before. */
  readonly isChanged: boolean;
}

/** The new state of a version, its consequence, and how to undo it. */
export function formatYank({
  hub,
  name,
  version,
  isYanked,
  isChanged,
  latest,
}: YankResult): string {
  const label = `${paint("bold", clean(name))} ${version}`;
  const spec = `${clean(name)}@${version}`;
  if (!isChanged)
    return `${label} is ${isYanked ? "already yanked" : "not yanked"}. Nothing was changed.`;
  const latestText =
    latest === null ? "No version is left to install." : `The latest is ${clean(latest)}.`;
  if (isYanked)
    return [
      success(`${label} is yanked. ${latestText}`),
      "  Lockfiles that contain it still install it. New installs cannot select it, even by its number.",
      `  to undo  envs hub yank ${spec} --undo --registry ${hub}`,
    ].join("\n");
  const isNewer = latest !== null && semver.gt(version, latest);
  return [
    success(`${label} is available again. ${latestText}`),
    ...(isNewer
      ? [`  to make it the latest  npm dist-tag add ${spec} latest --registry ${hub}`]
      : []),
  ].join("\n");
}

/** The new state of a package, its consequence, and how to undo it. */
export function formatArchive({ hub, name, isArchived, isChanged }: ArchiveResult): string {
  const label = paint("bold", clean(name));
  if (!isChanged)
    return `${label} is ${isArchived ? "already archived" : "not archived"}. Nothing was changed.`;
  if (!isArchived) return success(`${label} is no longer archived: it accepts new versions.`);
  return [
    success(`${label} is archived: it can be installed, but not changed.`),
    "  Searches list it last; envs search, info and install mark it as archived.",
    `  to undo  envs hub archive ${clean(name)} --undo --registry ${hub}`,
  ].join("\n");
}
