import { existsSync } from "node:fs";
import { join } from "node:path";

import { clean } from "@envs/cli/kit";
import { readPackageJson } from "@envs/cli/kit/environments";
import { isHubRequestError } from "@envs/hub-client";

import { findUp } from "../config/context.ts";
import { isAtOrigin } from "../config/scope-registries.ts";
import type { Connection } from "../connection/connect.ts";
import type { Release } from "../managers/package-manager.ts";
import {
  isPackageName,
  packageNotFoundError,
  type PackageSpec,
  type PackageVersions,
  scopeOf,
  versionNotFoundError,
} from "../packages/find-package.ts";
import {
  dependenciesOf,
  type Packument,
  peerDependenciesOf,
  readPackument,
  releaseOf,
  selectVersion,
} from "../packages/packument.ts";

/** A package on the hub that an installation requires. */
export interface RequiredPackage {
  readonly packument: Packument;
  /** A version, a range or a dist-tag; `undefined` means `latest`. */
  readonly range: string | undefined;
  /** The version that a package manager without a release gate selects. */
  readonly release: Release;
  /** The package that depends on it; `undefined` if the user requested it. */
  readonly requiredBy: string | undefined;
}

/** A dependency on the hub whose scope is not mapped to a registry. */
export interface UnmappedPackage {
  readonly name: string;
  readonly requiredBy: string;
}

/** The packages of the hub that an installation requires. */
export interface RequiredPackages {
  readonly packages: readonly RequiredPackage[];
  /** One package of each unmapped scope that the hub has, by scope. */
  readonly unmappedScopes: ReadonlyMap<string, UnmappedPackage>;
}

interface Requirement extends PackageSpec {
  readonly requiredBy?: string | undefined;
}

type RegistryOf = (scope: string) => string | undefined;

/** Resolves packages and their dependencies, as far as these are on the hub. */
export async function findRequiredPackages(
  connection: Pick<Connection, "request" | "client" | "url">,
  specs: readonly PackageSpec[],
  registryOf: RegistryOf,
): Promise<RequiredPackages> {
  const packages: RequiredPackage[] = [];
  const unmappedScopes = new Map<string, UnmappedPackage>();
  const seen = new Set<string>();
  const queue: Requirement[] = [...specs];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { name, range, requiredBy } = next;
    const location = locate(next, connection.url, registryOf);
    const key = `${name}@${range ?? ""}`;
    if (location === "elsewhere" || seen.has(key)) continue;
    seen.add(key);
    const packument = await readPackument(connection, name);
    if (packument === undefined && requiredBy === undefined)
      throw packageNotFoundError(name, connection.url);
    if (packument === undefined) continue;
    if (location === "unmapped") {
      unmappedScopes.set(scopeOf(name) ?? name, { name, requiredBy: requiredBy ?? name });
      continue;
    }
    const version = selectVersion(packument, range);
    if (version === undefined && requiredBy === undefined)
      throw versionNotFoundError(await readAllVersions(connection, packument), range);
    // The package manager itself reports a dependency whose range has no version, with the path to it.
    if (version === undefined) continue;
    packages.push({ packument, range, release: releaseOf(packument, version), requiredBy });
    for (const [dependency, dependencyRange] of dependenciesOf(packument, version))
      if (isPackageName(dependency))
        queue.push({ name: dependency, range: dependencyRange, requiredBy: name });
  }
  return { packages, unmappedScopes };
}

/** The peer dependencies of the requested packages that the project lacks, as `name@range`. */
export async function missingPeerDependencies(
  packages: readonly RequiredPackage[],
  folder: string,
): Promise<readonly string[]> {
  const root = findUp(folder, "package.json") ?? folder;
  const json = existsSync(join(root, "package.json")) ? await readPackageJson(root) : {};
  const present = { ...json.dependencies, ...json.devDependencies, ...json.peerDependencies };
  const requested = packages.filter(({ requiredBy }) => requiredBy === undefined);
  const missing = requested
    .flatMap(({ packument, release }) => peerDependenciesOf(packument, release.version))
    .filter(
      ([name]) =>
        !Object.hasOwn(present, name) && !requested.some(({ release }) => release.name === name),
    );
  return [...new Map(missing)].map(([name, range]) => clean(`${name}@${range}`));
}

/** The registry in which package managers look for a package. A dependency without a scope comes from the default registry. */
function locate(
  { name, requiredBy }: Requirement,
  url: string,
  registryOf: RegistryOf,
): "hub" | "elsewhere" | "unmapped" {
  if (requiredBy === undefined) return "hub";
  const scope = scopeOf(name);
  if (scope === undefined) return "elsewhere";
  const registry = registryOf(scope);
  if (registry === undefined) return "unmapped";
  return isAtOrigin(registry, url) ? "hub" : "elsewhere";
}

/** Reads all versions of a package: packuments omit the yanked ones. */
async function readAllVersions(
  { client }: Pick<Connection, "client">,
  { name, versions, "dist-tags": tags }: Packument,
): Promise<PackageVersions> {
  try {
    return await client.readPackage({ name });
  } catch (error) {
    // The route does not exist on a registry that is not a hub.
    if (!isHubRequestError(error)) throw error;
    const listed = Object.keys(versions).map((version) => ({ version, isYanked: false }));
    return { name, versions: listed, tags };
  }
}
