import semver from "semver";

import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/connect.ts";
import { type Dependent, dependentsOf } from "./dependents.ts";

/** Versions of a package that somebody wants gone, and what would be left. */
export interface Removal {
  readonly found: { readonly id: number; readonly name: string };
  /** Who wants it: of packages that they may not read, they hear how many there are. */
  readonly identity: Identity;
  readonly versions: readonly string[];
  readonly left: readonly string[];
  /** The dist-tags that point to a version which goes. */
  readonly tags: readonly string[];
}

/** A message says no more of each kind: what to do instead comes after them. */
export const shownReasons = 5;

/** What points at versions that are to go, so that they have to stay; each reason is the end of a sentence. */
export async function reasonsToKeep(
  database: Database,
  removal: Removal,
): Promise<readonly string[]> {
  const { found, identity } = removal;
  const dependents = await dependentsOf(database, found, identity);
  const needing = dependents.filter(({ wants }) => needs(wants, removal));
  const reasons = needing
    .filter(({ isReadable }) => isReadable)
    .slice(0, shownReasons)
    .map((dependent) => describe(dependent, found.name));
  const others = needing.length - reasons.length;
  if (others === 0) return reasons;
  const rest = others === 1 ? "1 other version" : `${others} other versions`;
  return [...reasons, `${rest} on this hub depend${others === 1 ? "s" : ""} on it`];
}

function describe({ name, version, wants }: Dependent, on: string): string {
  return `${name}@${version} depends on ${on}@${wants === "" ? "*" : wants}`;
}

/** Whether a range is satisfied by something that goes, and by nothing that is left. */
function needs(wants: string, { versions, left, tags }: Removal): boolean {
  const range = semver.validRange(wants, { loose: true });
  if (range === null) return wants === "latest" ? left.length === 0 : tags.includes(wants);
  const satisfies = (version: string): boolean => semver.satisfies(version, range, { loose: true });
  return versions.some(satisfies) && !left.some(satisfies);
}
