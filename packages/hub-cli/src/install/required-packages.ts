import { isHubRequestError } from "@envs/hub-client";

import type { Connection } from "../connection/connect.ts";
import type { Release } from "../managers/release-gate.ts";
import { notThere } from "../packages/not-there.ts";
import { isPackageName, scopeOf } from "../packages/package-spec.ts";
import {
  neededBy,
  type Packument,
  readPackument,
  releaseOf,
  chosenVersion,
} from "../packages/packument.ts";
import { noVersion, type Versions } from "../packages/version-error.ts";

/** A package of the hub that an installation needs. */
export interface NeededPackage {
  readonly packument: Packument;
  /** A version, a range, a tag; `undefined`: the latest. */
  readonly wanted: string | undefined;
  /** What a package manager takes that waits for nothing. */
  readonly release: Release;
  /** Which package needs it; `undefined` if the person named it. */
  readonly neededBy: string | undefined;
}

/** All that an installation takes from the hub. */
export interface NeededPackages {
  readonly packages: readonly NeededPackage[];
  /** Scopes that no line sends to a registry, though the hub has what is needed of them. */
  readonly unknownScopes: ReadonlyMap<string, Missing>;
}

/** A package of a scope that has no line, and who needs it. */
export interface Missing {
  readonly name: string;
  readonly neededBy: string;
}

interface Wanted {
  readonly name: string;
  readonly wanted: string | undefined;
  readonly neededBy?: string;
}

/** Follows what packages of a hub need, as far as that is on the hub, too. */
export async function neededPackages(
  connection: Pick<Connection, "ask" | "client" | "url">,
  specs: readonly { readonly name: string; readonly wanted: string | undefined }[],
  registryOf: (scope: string) => string | undefined,
): Promise<NeededPackages> {
  const packages: NeededPackage[] = [];
  const unknownScopes = new Map<string, Missing>();
  const seen = new Set<string>();
  const queue: Wanted[] = [...specs];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { name, wanted, neededBy: by } = next;
    const place = placeOf(next, { url: connection.url, registryOf });
    const isKnown = seen.has(`${name}@${wanted ?? ""}`);
    if (place === "elsewhere" || isKnown) continue;
    seen.add(`${name}@${wanted ?? ""}`);
    const packument = await readPackument(connection, name);
    if (packument === undefined && by === undefined) throw notThere(name, connection.url);
    if (packument === undefined) continue;
    if (place === "unknown") {
      unknownScopes.set(scopeOf(name) ?? name, { name, neededBy: by ?? name });
      continue;
    }
    const version = chosenVersion(packument, wanted);
    if (version === undefined && by === undefined)
      throw noVersion(await everyVersion(connection, packument), wanted);
    // The package manager tells of a range that nothing is in, with the way that led there.
    if (version === undefined) continue;
    packages.push({ packument, wanted, release: releaseOf(packument, version), neededBy: by });
    for (const [needed, range] of neededBy(packument, version))
      if (isPackageName(needed)) queue.push({ name: needed, wanted: range, neededBy: name });
  }
  return { packages, unknownScopes };
}

/** Where package managers look for a package. What has no scope comes from where most packages do. */
function placeOf(
  { name, neededBy: by }: Wanted,
  { url, registryOf }: { url: string; registryOf: (scope: string) => string | undefined },
): "here" | "elsewhere" | "unknown" {
  if (by === undefined) return "here";
  const scope = scopeOf(name);
  if (scope === undefined) return "elsewhere";
  const registry = registryOf(scope);
  if (registry === undefined) return "unknown";
  return URL.parse(registry)?.origin === url ? "here" : "elsewhere";
}

/** The versions of a package, yanked ones too, which are not in what package managers read. */
async function everyVersion(
  { client }: Pick<Connection, "client">,
  { name, versions, "dist-tags": tags }: Packument,
): Promise<Versions> {
  try {
    return await client.readPackage({ name });
  } catch (error) {
    // Another registry than a hub does not say.
    if (!isHubRequestError(error)) throw error;
    const listed = Object.keys(versions).map((version) => ({ version, isYanked: false }));
    return { name, versions: listed, tags };
  }
}
