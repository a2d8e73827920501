import { isHubRequestError } from "@envs/hub-client";
import semver from "semver";
import * as z from "zod";

import type { Connection } from "../connection/connect.ts";
import type { Release } from "../managers/release-gate.ts";

const names = z.record(z.string(), z.string());
/** What a hub says becomes arguments and lines of files. */
const version = z.string().refine((text) => semver.valid(text) !== null, "is not a version");
const packument = z.object({
  "dist-tags": names,
  versions: z.record(
    version,
    z.object({
      dependencies: names.optional(),
      peerDependencies: names.optional(),
      peerDependenciesMeta: z
        .record(z.string(), z.object({ optional: z.boolean().optional() }))
        .optional(),
    }),
  ),
  time: names.default({}),
});

/** What a registry says of a package to those who install it. */
export type Packument = z.output<typeof packument> & { readonly name: string };

/** Asks for a package; `undefined` if it is not there, or not for this person. */
export async function readPackument(
  { ask }: Pick<Connection, "ask">,
  name: string,
): Promise<Packument | undefined> {
  try {
    return { ...(await ask({ path: `/${name.replace("/", "%2f")}` }, packument)), name };
  } catch (error) {
    if (isHubRequestError(error) && error.status === 404) return undefined;
    throw error;
  }
}

/** The version that a package manager takes, of those that it may: what a tag names, else the highest of a range. */
export function chosenVersion(
  { "dist-tags": tags, versions }: Packument,
  wanted = "latest",
  isAllowed: (version: string) => boolean = () => true,
): string | undefined {
  const allowed = Object.keys(versions).filter((version) => isAllowed(version));
  const tagged = tags[wanted];
  if (tagged !== undefined && allowed.includes(tagged)) return tagged;
  // Where what a tag names is not allowed, the highest before it is taken.
  const range = tagged === undefined ? wanted : `<=${tagged}`;
  const { latest } = tags;
  const isLatest =
    latest !== undefined && allowed.includes(latest) && semver.satisfies(latest, range);
  return isLatest ? latest : (semver.maxSatisfying(allowed, range) ?? undefined);
}

/** A version as gates see it. Without a time, it counts as new. */
export function releaseOf({ name, time }: Packument, version: string): Release {
  return { name, version, publishedAt: new Date(time[version] ?? Date.now()) };
}

/** What a version needs beside itself, and which versions of it do: peers too, which most package managers install. */
export function neededBy(
  packument: Packument,
  version: string,
): readonly (readonly [name: string, range: string])[] {
  const { dependencies = {} } = packument.versions[version] ?? {};
  return [...Object.entries(dependencies), ...peersOf(packument, version)];
}

/** What a version wants its project to have. */
export function peersOf(
  { versions }: Packument,
  version: string,
): readonly (readonly [name: string, range: string])[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = versions[version] ?? {};
  return Object.entries(peerDependencies).filter(
    ([name]) => peerDependenciesMeta[name]?.optional !== true,
  );
}
