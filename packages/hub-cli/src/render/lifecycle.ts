import { clean, paint } from "@envs/terminal";
import semver from "semver";

/** What came of yanking a version, or of putting it back. */
export interface Yanking {
  readonly hub: string;
  readonly name: string;
  readonly version: string;
  readonly isYanked: boolean;
  /** Whether it was otherwise before. */
  readonly isChanged: boolean;
  /** What `latest` names now; `null` if no version is left. */
  readonly latest: string | null;
}

/** What came of putting a package into the archive, or of taking it out. */
export interface Archiving {
  readonly hub: string;
  readonly name: string;
  readonly isArchived: boolean;
  readonly isChanged: boolean;
}

const done = (text: string): string => `${paint("green", "✓")} ${text}`;
const nothing = "Nothing was changed.";

/** That a version is yanked, or is not any more; what that means, and how to take it back. */
export function yankingInWords({
  hub,
  name,
  version,
  isYanked,
  isChanged,
  latest,
}: Yanking): string {
  const of = `${paint("bold", clean(name))} ${version}`;
  const spec = `${clean(name)}@${version}`;
  if (!isChanged) return `${of} ${isYanked ? "is yanked already" : "is not yanked"}. ${nothing}`;
  const now =
    latest === null ? "No version is left to install." : `The latest is ${clean(latest)}.`;
  if (isYanked)
    return [
      done(`${of} is yanked. ${now}`),
      "  Whoever has it in a lockfile still gets it. Nobody else does, not even by its number.",
      `  to put it back  envs yank ${spec} --undo --registry ${hub}`,
    ].join("\n");
  const isBehind = latest !== null && semver.gt(version, latest);
  return [
    done(`${of} can be chosen again. ${now}`),
    ...(isBehind
      ? [`  to make it the latest  npm dist-tag add ${spec} latest --registry ${hub}`]
      : []),
  ].join("\n");
}

/** That a package is archived, or is not any more; what that means, and how to take it back. */
export function archivingInWords({ hub, name, isArchived, isChanged }: Archiving): string {
  const of = paint("bold", clean(name));
  if (!isChanged) return `${of} is ${isArchived ? "archived already" : "not archived"}. ${nothing}`;
  if (!isArchived) return done(`${of} is out of the archive: new versions can be published.`);
  return [
    done(`${of} is archived: it installs as before, and nothing of it changes any more.`),
    "  Searches list it last; envs search, info and install say that it is archived.",
    `  to take it out  envs archive ${clean(name)} --undo --registry ${hub}`,
  ].join("\n");
}
