import { existsSync } from "node:fs";
import { join } from "node:path";

import { readPackageJson } from "@envs/cli/kit/environments";

import { findUp } from "../config/context.ts";
import { scopeOf } from "./find-package.ts";
import type { PackageVersion } from "./version-warnings.ts";

/** The installed version of a package; `undefined` if it has no folder in node_modules, as with Yarn's archives. */
export async function installedVersion(folder: string, name: string): Promise<string | undefined> {
  const path = join("node_modules", name);
  const root = findUp(folder, join(path, "package.json"));
  return root === undefined ? undefined : (await readPackageJson(join(root, path))).version;
}

/** The installed direct dependencies of a project that belong to one of the scopes. */
export async function installedPackages(
  folder: string,
  scopes: ReadonlySet<string>,
): Promise<readonly PackageVersion[]> {
  const root = findUp(folder, "package.json");
  if (root === undefined || !existsSync(join(root, "node_modules"))) return [];
  const { dependencies, devDependencies } = await readPackageJson(root);
  const names = Object.keys({ ...dependencies, ...devDependencies }).filter((name) =>
    scopes.has(scopeOf(name) ?? ""),
  );
  const packages = await Promise.all(
    names.map(async (name) => ({ name, version: await installedVersion(root, name) })),
  );
  return packages.flatMap(({ name, version }) =>
    version === undefined ? [] : [{ name, version }],
  );
}
