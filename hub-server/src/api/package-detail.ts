import type { EnvironmentManifest, PackageDetail } from "@envs/hub-client";
import semver from "semver";

import { listMaintainers } from "../access/package-access/maintainers.ts";
import type { Package } from "../access/permissions/require-package.ts";
import { packageLinks } from "../packages/tarball/package-links.ts";
import type { Database } from "../platform/database/tables.ts";
import { downloadsByDay, lastDays } from "../registry/downloads/read.ts";
import { tagsOf, versionsOf } from "./package-versions.ts";

/** The response of the package page. The caller must have checked read access. */
export async function packageDetail(
  database: Database,
  package_: Package,
  now: Date,
): Promise<PackageDetail> {
  const { id, name, access, archived_at, created_at, modified_at } = package_;
  const versions = await versionsOf(database, id);
  const indexed = await indexedVersion(database, id);
  return {
    name,
    access,
    isArchived: archived_at !== null,
    createdAt: created_at.toISOString(),
    modifiedAt: modified_at.toISOString(),
    owner: await ownerOf(database, package_),
    maintainers: await listMaintainers({ database, package: package_ }),
    stars: await starsOf(database, id),
    downloads: {
      total: indexed?.downloads ?? 0,
      days: await downloadsByDay(database, id, lastDays(30, now)),
    },
    tags: await tagsOf(database, id),
    versions: versions.toSorted((a, b) => semver.rcompare(a.version, b.version)),
    latest: indexed?.version ?? null,
    description: indexed?.description ?? "",
    keywords: indexed?.keywords ?? [],
    ...linksOf(indexed?.manifest ?? {}),
    readme: indexed?.readme ?? "",
    environment: (indexed?.environment ?? null) as EnvironmentManifest | null,
  };
}

function linksOf(packageJson: Readonly<Record<string, unknown>>) {
  const { license, homepage, repository } = packageLinks(packageJson);
  return { license, homepage, repository };
}

/** The version in the search index. Undefined if the package is not indexed. */
async function indexedVersion(database: Database, packageId: number) {
  return await database
    .selectFrom("search_entries as entry")
    .innerJoin("versions", "versions.id", "entry.version_id")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .where("entry.package_id", "=", packageId)
    .select(["entry.description", "entry.keywords", "entry.downloads"])
    .select(["versions.version", "versions.manifest", "versions.readme"])
    .select("environments.manifest as environment")
    .executeTakeFirst();
}

async function ownerOf(database: Database, { owner_id }: Package): Promise<PackageDetail["owner"]> {
  return await database
    .selectFrom("accounts")
    .where("id", "=", owner_id)
    .select(["name", "kind"])
    .executeTakeFirstOrThrow();
}

async function starsOf(database: Database, packageId: number): Promise<number> {
  const { stars } = await database
    .selectFrom("stars")
    .where("package_id", "=", packageId)
    .select((row) => row.fn.countAll<number>().as("stars"))
    .executeTakeFirstOrThrow();
  return stars;
}
