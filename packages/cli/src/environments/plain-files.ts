import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

import type { PackageJson } from "./package-json.ts";

/** A path without patterns. */
const plain = /^\w[\w.-]*(?:\/\w[\w.-]*)*\/?$/;
/** Names to which npm applies special rules. */
const special =
  /^\.(?!tsbuildinfo$)|^(?:cvs|node_modules|npm-debug\.log|config\.gypi|archived-packages)$|^(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$|\.orig$|\*/i;
/** Files at the root that npm always packs. */
const always = /^(?:package\.json|(?:readme|copying|licen[cs]e)(?:\..*[^~$])?)$/i;
const ruled = ["main", "browser", "bin", "patchedDependencies"];

/**
 * The files of a package's tarball if `files` names them without patterns, and no other rule of npm applies; else `undefined`. It
 * takes a twentieth of the time of npm's walk, which matches each path against all rules.
 */
export function plainFiles(root: string, packageJson: PackageJson): readonly string[] | undefined {
  const { files } = packageJson;
  if (!Array.isArray(files) || ruled.some((key) => key in packageJson)) return undefined;
  const names = readdirSync(root);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return undefined;
  const paths = new Set<string>();
  const add = (path: string): boolean => {
    if (path.split("/").some((name) => special.test(name))) return false;
    const entry = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (entry?.isDirectory() === true)
      return readdirSync(join(root, path)).every((name) => add(`${path}/${name}`));
    if (entry?.isFile() === true) paths.add(path);
    return entry === undefined || entry.isFile();
  };
  const listed = files.map((path) => (plain.test(path) ? path.replace(/\/$/, "") : "*"));
  return [...names.filter((name) => always.test(name)), ...listed].every(add)
    ? [...paths]
    : undefined;
}
