import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

import { type PackageJson, packageRoot, readPackageJson } from "./package-json.ts";

/** The dependencies and workspace packages of a project that have the keyword `llm-environment`. */
export async function installedEnvironments(folder: string): Promise<readonly PackageJson[]> {
  const folders = [...(await dependencies(folder)), ...(await workspacePackages(folder))];
  const packages = await Promise.all(folders.map((root) => readPackageJson(root)));
  const environments = packages.filter(({ keywords }) => keywords?.includes("llm-environment"));
  const byName = new Map(environments.map((environment) => [environment.name ?? "", environment]));
  return [...byName.values()]
    .map(({ name = "", version = "", description = "" }) => ({ name, version, description }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function dependencies(folder: string): Promise<string[]> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return [];
  const own = await readPackageJson(folder);
  const require = createRequire(file);
  return Object.keys({ ...own.dependencies, ...own.devDependencies }).flatMap((name) => {
    try {
      return [packageRoot(require.resolve(`${name}/package.json`)) ?? []].flat();
    } catch {
      return [];
    }
  });
}

async function workspacePackages(folder: string): Promise<string[]> {
  const root = join(folder, "environments");
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries
    .map(({ name }) => join(root, name))
    .filter((path) => existsSync(join(path, "package.json")));
}
