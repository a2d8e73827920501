import type { EnvironmentManifest, VersionDetail } from "@envs/hub-client";
import { sql } from "kysely";
import * as z from "zod";

import type { Package } from "../access/permissions/require-package.ts";
import { packageLinks } from "../packages/tarball/package-links.ts";
import type { Database } from "../platform/database/tables.ts";
import { tarballFile } from "../registry/packuments/document.ts";
import { tagsOf, versionsOf } from "./package-versions.ts";

const text = z.string().catch("");
const keywordList = z.array(z.string()).catch([]);
const dependencyMap = z.record(z.string(), z.string()).catch({});

/** The response of the version page. Undefined if the package does not have the version or dist-tag. */
export async function versionDetail(
  database: Database,
  { id, name }: Package,
  { versionOrTag, origin }: { readonly versionOrTag: string; readonly origin: string },
): Promise<VersionDetail | undefined> {
  const tags = await tagsOf(database, id);
  const version = Object.hasOwn(tags, versionOrTag) ? tags[versionOrTag] : versionOrTag;
  const [summary] = await versionsOf(database, id, version);
  if (summary === undefined) return undefined;
  const { packageJson, environment, signatures, ...contents } = await contentsOf(
    database,
    summary.id,
  );
  const { license, homepage, repository } = packageLinks(packageJson);
  return {
    name,
    ...summary,
    ...contents,
    signatures: [...signatures],
    description: text.parse(packageJson["description"]),
    keywords: keywordList.parse(packageJson["keywords"]),
    license,
    homepage,
    repository,
    tarball: `${origin}/${name}/-/${tarballFile(name, summary.version)}`,
    tags: Object.keys(tags).filter((tag) => tags[tag] === summary.version),
    downloads: await downloadsOf(database, summary.id),
    dependencies: dependencyMap.parse(packageJson["dependencies"]),
    peerDependencies: dependencyMap.parse(packageJson["peerDependencies"]),
    optionalDependencies: dependencyMap.parse(packageJson["optionalDependencies"]),
    engines: dependencyMap.parse(packageJson["engines"]),
    files: await filesOf(database, summary.id),
    attestations: await attestationsOf(database, summary.id),
    environment: (environment ?? null) as EnvironmentManifest | null,
  };
}

async function contentsOf(database: Database, versionId: number) {
  return await database
    .selectFrom("versions")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .where("versions.id", "=", versionId)
    .select(["shasum", "readme", "signatures", "versions.manifest as packageJson"])
    .select("environments.manifest as environment")
    .executeTakeFirstOrThrow();
}

async function filesOf(database: Database, versionId: number): Promise<VersionDetail["files"]> {
  return await database
    .selectFrom("files")
    .where("version_id", "=", versionId)
    .orderBy("path")
    .select(["path", "size", "sha256"])
    .execute();
}

async function attestationsOf(database: Database, versionId: number): Promise<string[]> {
  const rows = await database
    .selectFrom("attestations")
    .where("version_id", "=", versionId)
    .orderBy("predicate_type")
    .select("predicate_type")
    .execute();
  return rows.map(({ predicate_type }) => predicate_type);
}

async function downloadsOf(database: Database, versionId: number): Promise<number> {
  const { count } = await database
    .selectFrom("downloads")
    .where("version_id", "=", versionId)
    .select(sql<number>`coalesce(sum(count), 0)::bigint`.as("count"))
    .executeTakeFirstOrThrow();
  return count;
}
