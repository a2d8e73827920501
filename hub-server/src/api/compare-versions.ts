import { type Comparison, type EnvironmentManifest, manifestChanges } from "@envs/hub-client";

import type { Package } from "../access/permissions/require-package.ts";
import type { Database } from "../platform/database/tables.ts";
import { tagsOf, versionsOf } from "./package-versions.ts";

/** The two versions of a comparison, as numbers or dist-tags. */
export interface ComparedVersions {
  readonly from: string;
  readonly to: string;
}

/** Compares two versions of a package. Undefined if the package does not have one of them. */
export async function compareVersions(
  database: Database,
  { id, name }: Package,
  { from, to }: ComparedVersions,
): Promise<Comparison | undefined> {
  const tags = await tagsOf(database, id);
  const find = async (text: string) =>
    (await versionsOf(database, id, Object.hasOwn(tags, text) ? tags[text] : text))[0];
  const [before, after] = [await find(from), await find(to)];
  if (before === undefined || after === undefined) return undefined;
  const manifests = await manifestsOf(database, [before.id, after.id]);
  const [old, new_] = [manifests.get(before.id), manifests.get(after.id)];
  return {
    name,
    from: before.version,
    to: after.version,
    manifest: old === undefined || new_ === undefined ? [] : [...manifestChanges(old, new_)],
    files: await fileChanges(database, before.id, after.id),
  };
}

/** The manifests of versions by the versions' ids; versions without one are missing. */
export async function manifestsOf(
  database: Database,
  versionIds: readonly number[],
): Promise<ReadonlyMap<number, EnvironmentManifest>> {
  if (versionIds.length === 0) return new Map();
  const rows = await database
    .selectFrom("environments")
    .where("version_id", "in", versionIds)
    .select(["version_id", "manifest"])
    .execute();
  // The hub has validated manifests before it stored them.
  return new Map(
    rows.map(({ version_id, manifest }) => [version_id, manifest as EnvironmentManifest]),
  );
}

async function fileChanges(
  database: Database,
  before: number,
  after: number,
): Promise<Comparison["files"]> {
  // Two equal ids are the same version.
  if (before === after) return [];
  const rows = await database
    .selectFrom("files")
    .where("version_id", "in", [before, after])
    .orderBy("path")
    .select(["version_id", "path", "size", "sha256"])
    .execute();
  return changedFiles(rows, (row) => (row.version_id === before ? "old" : "new"));
}

interface HashedFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** The files that differ between two versions, by their hashes. `sideOf` returns the version of a file. */
export function changedFiles<File extends HashedFile>(
  files: readonly File[],
  sideOf: (file: File) => "old" | "new",
): Comparison["files"] {
  const paths = new Map<string, { old?: File; new?: File }>();
  for (const file of files) {
    const sides = paths.get(file.path) ?? {};
    sides[sideOf(file)] = file;
    paths.set(file.path, sides);
  }
  return [...paths]
    .filter(([, sides]) => sides.old?.sha256 !== sides.new?.sha256)
    .map(([path, sides]) => ({
      path,
      kind: sides.old === undefined ? "added" : sides.new === undefined ? "removed" : "changed",
      before: sides.old?.size ?? 0,
      after: sides.new?.size ?? 0,
    }));
}
