import { sql } from "kysely";
import semver from "semver";

import type { PackageChange } from "../../access/changes/change-package.ts";
import { readableBy } from "../../access/permissions/permission-query.ts";

/** The versions that a user wants to unpublish, and the state of the package after that. */
interface Removal {
  readonly versions: readonly string[];
  /** The versions that users could still install. */
  readonly remaining: readonly string[];
  /** The dist-tags that point to one of `versions`. */
  readonly tags: readonly string[];
}

/** A version of another package that depends on this one. */
interface Dependent {
  readonly name: string;
  readonly version: string;
  /** A semver range or a dist-tag. */
  readonly range: string;
  /** Whether the user who unpublishes may read the dependent. */
  readonly isReadable: boolean;
}

/** The maximum number of reasons of each kind, so that a long message does not hide its last sentence, the remedy. */
export const maxReasons = 5;

/**
 * The reasons against a removal: the versions of other packages whose dependencies could not be installed anymore. Each
 * is a clause for an error message. Packages that the user may not read are only counted.
 */
export async function blockingDependents(
  change: PackageChange,
  removal: Removal,
): Promise<readonly string[]> {
  const dependents = await listDependents(change);
  const blocking = dependents.filter(({ range }) => isBroken(range, removal));
  const reasons = blocking
    .filter(({ isReadable }) => isReadable)
    .slice(0, maxReasons)
    .map(
      ({ name, version, range }) =>
        `${name}@${version} depends on ${change.package.name}@${range === "" ? "*" : range}`,
    );
  const others = blocking.length - reasons.length;
  if (others === 0) return reasons;
  return [
    ...reasons,
    others === 1
      ? "1 other version on this hub depends on it"
      : `${others} other versions on this hub depend on it`,
  ];
}

/** Includes dependencies under an alias (`npm:@envs/tictactoe@^1.0.0`). */
async function listDependents({
  database,
  identity,
  package: { id, name },
}: PackageChange): Promise<readonly Dependent[]> {
  const alias = `npm:${name}`;
  const { rows } = await sql<Dependent>`
    select packages.name, versions.version,
      case when dependency.value like 'npm:%'
        then substr(dependency.value, ${alias.length + 2}) else dependency.value end as range,
      ${readableBy(identity)} as "isReadable"
    from versions
    join packages on packages.id = versions.package_id
    cross join lateral unnest(array['dependencies', 'optionalDependencies', 'peerDependencies']) as kind
    cross join lateral jsonb_each_text(
      case jsonb_typeof(versions.manifest -> kind) when 'object' then versions.manifest -> kind else '{}' end
    ) as dependency
    where packages.id <> ${id}
      and versions.unpublished_at is null
      and (dependency.key = ${name} and dependency.value not like 'npm:%'
        or dependency.value = ${alias}
        or starts_with(dependency.value, ${`${alias}@`}))
    order by packages.name, versions.published_at desc`.execute(database);
  return rows;
}

/** Whether a removed version satisfies a range, and no remaining version does. */
function isBroken(text: string, { versions, remaining, tags }: Removal): boolean {
  const range = semver.validRange(text, { loose: true });
  if (range === null) return text === "latest" ? remaining.length === 0 : tags.includes(text);
  const satisfies = (version: string): boolean => semver.satisfies(version, range, { loose: true });
  return versions.some(satisfies) && !remaining.some(satisfies);
}
