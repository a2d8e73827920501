import semver from "semver";
import * as z from "zod";

import { type Connection, ifNotFound } from "../connection/connect.ts";
import type { Release } from "../managers/package-manager.ts";

const ranges = z.record(z.string(), z.string());
/** Versions become arguments and lines of files, so they are checked. */
const version = z.string().refine((text) => semver.valid(text) !== null, "is not a version");
const packument = z.object({
  "dist-tags": ranges,
  versions: z.record(
    version,
    z.object({
      dependencies: ranges.optional(),
      peerDependencies: ranges.optional(),
      peerDependenciesMeta: z
        .record(z.string(), z.object({ optional: z.boolean().optional() }))
        .optional(),
    }),
  ),
  time: ranges.default({}),
});

/** The document of a package that package managers read. */
export type Packument = z.output<typeof packument> & { readonly name: string };

/** A package and the range of its versions that another package accepts. */
export type Dependency = readonly [name: string, range: string];

/** Reads a packument; `undefined` if the package does not exist or the user may not read it. */
export async function readPackument(
  { request }: Pick<Connection, "request">,
  name: string,
): Promise<Packument | undefined> {
  const response = request({ path: `/${name.replace("/", "%2f")}` }, packument);
  const document = await ifNotFound(response, () => undefined);
  return document && { ...document, name };
}

/** Selects a version as package managers do: the version of a dist-tag, else the highest in the range. */
export function selectVersion(
  { "dist-tags": tags, versions }: Packument,
  range = "latest",
  isAllowed: (version: string) => boolean = () => true,
): string | undefined {
  const allowed = Object.keys(versions).filter((candidate) => isAllowed(candidate));
  const tagged = tags[range];
  if (tagged !== undefined && allowed.includes(tagged)) return tagged;
  // If the tagged version is not allowed, the highest one below it is selected.
  const versionRange = tagged === undefined ? range : `<=${tagged}`;
  const { latest } = tags;
  const isLatest =
    latest !== undefined && allowed.includes(latest) && semver.satisfies(latest, versionRange);
  return isLatest ? latest : (semver.maxSatisfying(allowed, versionRange) ?? undefined);
}

/** Returns a version with its time of publication; a missing time counts as now. */
export function releaseOf({ name, time }: Packument, releaseVersion: string): Release {
  const publishedAt = new Date(time[releaseVersion] ?? Date.now());
  return { name, version: releaseVersion, publishedAt };
}

/** The dependencies of a version, and its required peer dependencies, which most package managers install. */
export function dependenciesOf(
  document: Packument,
  dependentVersion: string,
): readonly Dependency[] {
  const { dependencies = {} } = document.versions[dependentVersion] ?? {};
  return [...Object.entries(dependencies), ...peerDependenciesOf(document, dependentVersion)];
}

/** The peer dependencies of a version that are not optional. */
export function peerDependenciesOf(
  { versions }: Packument,
  dependentVersion: string,
): readonly Dependency[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = versions[dependentVersion] ?? {};
  return Object.entries(peerDependencies).filter(
    ([name]) => peerDependenciesMeta[name]?.optional !== true,
  );
}
