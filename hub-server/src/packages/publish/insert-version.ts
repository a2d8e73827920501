import { sql } from "kysely";

import type { Package } from "../../access/permissions/require-package.ts";
import { developers } from "../../identity/accounts/add-member.ts";
import type { Database } from "../../platform/database/tables.ts";
import { packageName } from "../../platform/names/package-name.ts";
import { similarityKeys } from "../../platform/names/similarity.ts";
import type { VerifiedAttestation } from "../attestations/verify.ts";
import type { Signature } from "../signatures/sign.ts";
import type { PackageUpload } from "./inspect-upload.ts";
import { rejectVersionConflict, versionStaged } from "./version-conflict.ts";

/** The rows of a new version. */
interface NewVersion {
  readonly packageId: number;
  readonly upload: PackageUpload;
  readonly blob: string;
  readonly signatures: readonly Signature[];
  readonly attestations: readonly VerifiedAttestation[];
  readonly publisherId: number;
  readonly now: Date;
}

/** Inserts a version with its files, dist-tags and environment, and queues it to be rendered. Rejects a version that exists, was unpublished, or is staged. */
export async function insertVersion(database: Database, newVersion: NewVersion): Promise<void> {
  const { packageId, upload, blob, signatures, attestations, publisherId, now } = newVersion;
  const { name, version, files, readme, environment } = upload;
  const tags = [...new Set([upload.tag, "latest"])].sort();
  const { rows } = await sql<{ readonly id: number }>`
    with added as (
      insert into versions (
        package_id, version, manifest, readme, readme_file, shasum, integrity, blob,
        size, unpacked_size, file_count, signatures, published_by, published_at
      )
      select ${packageId}::bigint, ${version}, ${servedManifest(upload)}::jsonb,
        ${readme?.text ?? ""}, ${readme?.file ?? ""}, ${upload.shasum}, ${upload.integrity}, ${blob},
        ${upload.tarball.byteLength}::bigint, ${upload.unpackedSize}::bigint, ${upload.fileCount}::int,
        ${JSON.stringify(signatures)}::jsonb, ${publisherId}::bigint, ${now}::timestamptz
      where not exists (
        select from staged_versions where name = ${upload.name} and version = ${version}
      )
      on conflict (package_id, version) do nothing
      returning id
    ), content as (
      insert into files (version_id, path, size, sha256)
      select id, path, size, sha256 from added, unnest(
        ${files.map(({ path }) => path)}::text[], ${files.map(({ size }) => size)}::bigint[], ${files.map(({ sha256 }) => sha256)}::text[]
      ) as file (path, size, sha256)
    ), tagged as (
      insert into dist_tags (package_id, tag, version_id)
      select ${packageId}::bigint, tag, id from added, unnest(${tags}::text[]) as tag
      -- The first version also gets the tag latest. Later versions move only their own tag.
      on conflict (package_id, tag) do update set version_id = excluded.version_id
        where dist_tags.tag = ${upload.tag}
    ), described as (
      insert into environments (version_id, manifest)
      select id, manifest from added, (values (${environment?.text}::json)) as environment (manifest)
      where manifest is not null
    ), unrendered as (
      insert into unrendered_versions (version_id) select id from added
    )
    select id from added`.execute(database);
  const [row] = rows;
  if (row === undefined) {
    await rejectVersionConflict(database, { packageId, name, version });
    throw versionStaged(name, version);
  }
  if (attestations.length > 0)
    await database
      .insertInto("attestations")
      .values(
        attestations.map(({ predicateType, bundle }) => ({
          version_id: row.id,
          predicate_type: predicateType,
          bundle: JSON.stringify(bundle),
        })),
      )
      .execute();
}

/** The package.json for packuments, with the hints of the client about the build. */
function servedManifest({ manifest, hints }: PackageUpload): string {
  const hinted: Readonly<Record<string, unknown>> = {
    gitHead: hints.gitHead,
    _nodeVersion: hints.nodeVersion,
    _npmVersion: hints.npmVersion,
  };
  const defined = Object.entries(hinted).filter(([, value]) => value !== undefined);
  return JSON.stringify({ ...manifest, ...Object.fromEntries(defined) });
}

/**
 * Creates a package in the transaction that publishes its first version. The creator maintains it, and the developers
 * team of an organisation may write to it. Violates the unique key `packages_name_key` if a concurrent publish created it.
 */
export async function createPackage(
  transaction: Database,
  {
    name,
    ownerId,
    creatorId,
    access,
    now,
  }: {
    readonly name: string;
    readonly ownerId: number;
    readonly creatorId: number;
    readonly access: "public" | "restricted";
    readonly now: Date;
  },
): Promise<Package> {
  const { rows } = await sql<Package>`
    with added as (
      insert into packages (name, scope, owner_id, similarity_keys, access, created_at, modified_at)
      values (
        ${name}, ${packageName(name).scope ?? ""}, ${ownerId}, ${[...similarityKeys(name)]}::text[], ${access},
        ${now}::timestamptz, ${now}::timestamptz
      )
      returning *
    ), maintained as (
      insert into package_users (package_id, user_id, permission, is_maintainer)
      select id, ${creatorId}::bigint, 'write', true from added
    ), developed as (
      insert into team_packages (team_id, package_id, permission)
      select teams.id, added.id, 'write' from added join teams on organisation_id = owner_id
      where teams.name = ${developers}
    )
    select * from added`.execute(transaction);
  return rows[0]!;
}
