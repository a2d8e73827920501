import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import type { VerifiedAttestation } from "../attestations/verify.ts";
import type { Signature } from "../signatures/sign.ts";
import type { VerifiedPackage } from "./verify.ts";
import { refuseTaken } from "./version-conflict.ts";

/** A version as its package gets it. */
export interface NewVersion {
  readonly packageId: number;
  readonly verified: VerifiedPackage;
  readonly blob: string;
  readonly signatures: readonly Signature[];
  readonly attestations: readonly VerifiedAttestation[];
  readonly publisherId: number;
  readonly now: Date;
}

/** Writes a version, its files and its tags; refuses a number that is taken. */
export async function insertVersion(database: Database, added: NewVersion): Promise<void> {
  const { packageId, verified, attestations, now } = added;
  const { version, files, readme, environment } = verified;
  const tags = [...new Set([verified.tag, "latest"])].sort();
  const { rows } = await sql<{ readonly id: number }>`
    with added as (
      insert into versions (
        package_id, version, manifest, readme, readme_file, shasum, integrity, blob,
        size, unpacked_size, file_count, signatures, published_by, published_at
      )
      select ${packageId}::bigint, ${version}, ${servedManifest(verified)}::jsonb,
        ${readme?.text ?? ""}, ${readme?.file ?? ""}, ${verified.shasum}, ${verified.integrity}, ${added.blob},
        ${verified.tarball.byteLength}::bigint, ${verified.unpackedSize}::bigint, ${verified.fileCount}::int,
        ${JSON.stringify(added.signatures)}::jsonb, ${added.publisherId}::bigint, ${now}::timestamptz
      where not exists (
        select from staged_versions where name = ${verified.name} and version = ${version}
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
      -- Of a package's first version, latest is a tag, too; any other moves the tag alone that it was given.
      on conflict (package_id, tag) do update set version_id = excluded.version_id
        where dist_tags.tag = ${verified.tag}
    )
    select id from added`.execute(database);
  const [row] = rows;
  if (row === undefined) {
    await refuseTaken(database, { packageId, name: verified.name, version });
    throw new HubError("version-staged", {
      message: `${verified.name}@${version} is staged. Approve or reject it (npm stage list), or publish another version.`,
    });
  }
  if (environment !== undefined)
    await database
      .insertInto("environments")
      .values({ version_id: row.id, manifest: environment.text })
      .execute();
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

/** package.json as it is served: clients look for a shrinkwrap before they have the tarball. */
function servedManifest({ manifest, files, hints }: VerifiedPackage): string {
  const { gitHead, nodeVersion, npmVersion } = hints;
  const hasShrinkwrap = files.some(({ path }) => path === "npm-shrinkwrap.json");
  return JSON.stringify({
    ...manifest,
    ...(hasShrinkwrap && { _hasShrinkwrap: true }),
    ...(gitHead !== undefined && { gitHead }),
    ...(nodeVersion !== undefined && { _nodeVersion: nodeVersion }),
    ...(npmVersion !== undefined && { _npmVersion: npmVersion }),
  });
}
