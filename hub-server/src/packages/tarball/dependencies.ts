import semver from "semver";

import { quoted, refusal } from "../../platform/errors/hub-error.ts";
import { isDependencyName } from "../../platform/names/package-name.ts";

/** The fields of `package.json` whose packages are installed together with the package. */
export const dependencyFields = [
  "dependencies",
  "optionalDependencies",
  "peerDependencies",
] as const;

/** Version ranges, dist-tags or aliases by package name. */
export type Dependencies = Readonly<Record<string, string>>;

/** The dependency fields of `package.json`. */
export type DependencyLists = {
  readonly [Field in (typeof dependencyFields)[number]]?: Dependencies | undefined;
};

/** The fields to check, and the name of their package. npm copies `acceptDependencies` into lockfiles. */
interface CheckedFields extends DependencyLists {
  readonly name: string;
  readonly acceptDependencies?: Dependencies | undefined;
}

/** `npm:name@range`; the range is optional. */
const aliasForm = /^npm:(@?[^@]+)(?:@(.*))?$/;

/**
 * Rejects dependencies that do not come from a registry, because their content could change later, and aliases that
 * install a package under a name that is not the author's.
 */
export function checkDependencies(lists: CheckedFields): void {
  for (const field of [...dependencyFields, "acceptDependencies"] as const)
    for (const [name, spec] of Object.entries(lists[field] ?? {})) {
      if (!isDependencyName(name))
        throw refusal(
          "dependency-name",
          `${field} has ${quoted(name)}, which is not a valid package name. Correct it.`,
        );
      const problem = problemOf(spec);
      if (problem !== undefined)
        throw refusal(
          "dependency-source",
          `The version of ${name} in ${field} is ${quoted(spec)}: ${problem}.`,
        );
      if (isForeignAlias(name, spec, lists.name))
        throw refusal(
          "dependency-alias",
          `${field} installs ${quoted(spec)} as ${name}, where packages that need the real ${name} could load it. Depend on the package by its own name, or choose an alias in the scope of ${lists.name}.`,
        );
    }
}

/** Yarn 1 and npm hoist an alias to the project's root, where other packages find it in place of the named package. */
function isForeignAlias(name: string, spec: string, dependent: string): boolean {
  const [, target] = aliasForm.exec(spec) ?? [];
  if (target === undefined || target === name) return false;
  const [scope] = dependent.split("/");
  return !(dependent.startsWith("@") && name.startsWith(`${scope}/`));
}

function problemOf(spec: string): string | undefined {
  const alias = aliasForm.exec(spec);
  if (alias !== null) {
    const [, name = "", range = ""] = alias;
    if (!isDependencyName(name)) return "the alias does not name a valid package. Correct the name";
    return isVersion(range)
      ? undefined
      : "the alias has an invalid version range after the @. Write it as npm:name@^1.2.3";
  }
  if (isVersion(spec)) return undefined;
  if (/^(?:workspace|catalog):/i.test(spec))
    return "only the workspace can resolve it. Publish with pnpm or Yarn, which replace it with a version";
  if (/^(?:file|link|portal|patch):/i.test(spec) || /^[./~]/.test(spec))
    return "it is a path on one machine. Publish the package at this path, and depend on its version";
  if (/[/:]/.test(spec))
    return "it does not come from a registry, so its content could change. Depend on a published version";
  return "it is neither a version range nor a dist-tag. Write it as ^1.2.3";
}

/** Whether a text is a version range or a dist-tag. npm reads a name with the extension of an archive as a file. */
function isVersion(text: string): boolean {
  if (text.length > 500 || /[/:\\]/.test(text)) return false;
  if (semver.validRange(text) !== null && !text.startsWith(".")) return true;
  return /^[a-z][a-z0-9._-]*$/i.test(text) && !/\.(?:tgz|tar|tar\.gz)$/i.test(text);
}
