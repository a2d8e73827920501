import { existsSync } from "node:fs";
import { join } from "node:path";

import { above } from "../config/context.ts";
import type { Connection } from "../connection/connect.ts";
import { readPackageJson } from "../package-json.ts";
import { installedVersion } from "../packages/installed-version.ts";
import { scopeOf } from "../packages/package-spec.ts";
import { knownAgainst, knownInWords, type NamedVersion } from "../packages/version-warnings.ts";
import { type Finding, good, note } from "./finding.ts";

/** Asks a hub what it knows against the versions that a project has of these scopes. */
export async function examinePackages(
  connection: Connection,
  folder: string,
  scopes: ReadonlySet<string>,
): Promise<readonly Finding[]> {
  const known = await knownAgainst(connection, await installedPackages(folder, scopes));
  if (known.length === 0) return [];
  const lines = knownInWords(known);
  const names = known.map(({ name, version }) => `${name} ${version}`).join(", ");
  return lines.length === 0 ? [good(`nothing is known against ${names}`)] : lines.map(note);
}

async function installedPackages(
  folder: string,
  scopes: ReadonlySet<string>,
): Promise<readonly NamedVersion[]> {
  const root = above(folder, "package.json");
  if (root === undefined || !existsSync(join(root, "node_modules"))) return [];
  const { dependencies, devDependencies } = await readPackageJson(root);
  const names = Object.keys({ ...dependencies, ...devDependencies });
  const found = await Promise.all(
    names
      .filter((name) => scopes.has(scopeOf(name) ?? ""))
      .map(async (name) => ({ name, version: await installedVersion(root, name) })),
  );
  return found.flatMap(({ name, version }) => (version === undefined ? [] : [{ name, version }]));
}
