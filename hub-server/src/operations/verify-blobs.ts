import { createHash } from "node:crypto";

import { type BlobStore, type Damage, quarantineIfCorrupt } from "../platform/blobs/blob-store.ts";
import type { Database } from "../platform/database/tables.ts";

/** A damaged blob: the tarball of a version, or a part of a run. */
export interface DamagedBlob {
  readonly name: string;
  readonly version: string;
  /** The run that the blob is a part of. */
  readonly run?: string | undefined;
  readonly blob: string;
  readonly damage: Damage;
}

/** The result of a verification. `damaged` does not include repaired blobs. */
export interface Verification {
  readonly blobs: number;
  readonly bytes: number;
  readonly damaged: readonly DamagedBlob[];
  readonly repaired: readonly DamagedBlob[];
}

/**
 * Reads the tarball of every published and staged version and the parts of every run, and moves corrupt ones to quarantine.
 * With `source`, the URL of another hub, fetches the tarballs of published versions that are damaged, and stores those that
 * have the right hash.
 */
export async function verifyBlobs(
  { database, blobs }: { readonly database: Database; readonly blobs: BlobStore },
  { source }: { readonly source?: string | undefined } = {},
): Promise<Verification> {
  const totals = { blobs: 0, bytes: 0 };
  const damaged: DamagedBlob[] = [];
  const repaired: DamagedBlob[] = [];
  const stored = [...(await storedVersions(database)), ...(await storedParts(database))];
  for (const each of stored) {
    const size = await blobs.get(each.blob).then((bytes) => bytes?.byteLength);
    const isCorrupt = size !== undefined && (await quarantineIfCorrupt(blobs, each.blob));
    if (size !== undefined && !isCorrupt) {
      totals.blobs += 1;
      totals.bytes += size;
      continue;
    }
    const found: DamagedBlob = { ...each, damage: isCorrupt ? "corrupt" : "missing" };
    const isRepaired =
      source !== undefined && found.run === undefined && (await repair(blobs, found, source));
    (isRepaired ? repaired : damaged).push(found);
  }
  return { ...totals, damaged, repaired };
}

async function storedVersions(database: Database): Promise<readonly Omit<DamagedBlob, "damage">[]> {
  const published = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .where("unpublished_at", "is", null)
    .select(["packages.name", "versions.version", "versions.blob"])
    .orderBy("versions.id")
    .execute();
  const staged = await database
    .selectFrom("staged_versions")
    .select(["name", "version", "blob"])
    .execute();
  const copied = await database
    .selectFrom("upstream_tarballs")
    .select(["name", "version", "blob"])
    .execute();
  return [...published, ...staged, ...copied];
}

async function storedParts(database: Database): Promise<readonly Omit<DamagedBlob, "damage">[]> {
  const rows = await database
    .selectFrom("run_parts")
    .innerJoin("runs", "runs.id", "run_parts.run_id")
    .innerJoin("versions", "versions.id", "runs.version_id")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .select(["packages.name", "versions.version", "runs.id as run", "run_parts.blob"])
    .orderBy("runs.id")
    .orderBy("run_parts.part")
    .execute();
  return rows.flatMap(({ blob, ...row }) => (blob === null ? [] : [{ ...row, blob }]));
}

/** Fetches a tarball from another hub. Returns whether that hub has the same bytes. */
async function repair(
  blobs: BlobStore,
  { name, version, blob }: DamagedBlob,
  source: string,
): Promise<boolean> {
  const file = `${name.slice(name.indexOf("/") + 1)}-${version}.tgz`;
  const response = await fetch(new URL(`/${name}/-/${file}`, source));
  if (!response.ok) return false;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (createHash("sha512").update(bytes).digest("hex") !== blob) return false;
  await blobs.put(blob, bytes);
  return true;
}
