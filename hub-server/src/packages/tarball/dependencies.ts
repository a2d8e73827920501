import semver from "semver";

import { quoted, refusal } from "../../platform/errors/refusal.ts";
import { isDependencyName } from "../../platform/names/package-name.ts";

/** The fields whose packages a client installs for those who install the package. */
export const dependencyFields = [
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;

/** Packages by name, with the versions that are wanted. */
export type Dependencies = Readonly<Record<string, string>>;

/** What of a `package.json` says which packages it needs. */
export type DependencyLists = {
  readonly [Field in (typeof dependencyFields)[number]]?: Dependencies | undefined;
};

/** Refuses dependencies that do not come from a registry: nobody could say later what was installed. */
export function checkDependencies(lists: DependencyLists): void {
  for (const field of dependencyFields)
    for (const [name, wanted] of Object.entries(lists[field] ?? {})) {
      if (!isDependencyName(name))
        throw refusal(
          "dependency-name",
          `${field} has ${quoted(name)}, which no package can be called. Correct it.`,
        );
      const problem = problemOf(wanted);
      if (problem !== undefined)
        throw refusal(
          "dependency-source",
          `${field} wants ${name} as ${quoted(wanted)}: ${problem}.`,
        );
    }
}

function problemOf(wanted: string): string | undefined {
  const alias = /^npm:(@?[^@]+)(?:@(.*))?$/.exec(wanted);
  if (alias !== null) {
    const [, name = "", range = ""] = alias;
    if (!isDependencyName(name)) return "no package can be called so";
    return isVersion(range) ? undefined : "the alias has no range of versions after its @";
  }
  if (isVersion(wanted)) return undefined;
  if (/^(?:workspace|catalog):/i.test(wanted))
    return "only the workspace knows what that is. Publish with pnpm or Yarn, which write the version";
  if (/^(?:file|link|portal|patch):/i.test(wanted) || /^[./~]/.test(wanted))
    return "it is a file of one machine. Publish what it holds, and want a version of it";
  if (/[/:]/.test(wanted))
    return "it does not come from a registry, so that nothing vouches for what it will be. Want a published version";
  return "it is neither a range of versions nor a dist-tag. Write it as ^1.2.3";
}

/** A range or a dist-tag. What ends like an archive is a file to npm. */
function isVersion(text: string): boolean {
  if (text.length > 500 || /[/:\\]/.test(text)) return false;
  if (semver.validRange(text) !== null && !text.startsWith(".")) return true;
  return /^[a-z][a-z0-9._-]*$/i.test(text) && !/\.(?:tgz|tar|tar\.gz)$/i.test(text);
}
