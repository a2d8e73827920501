import { LRUCache } from "lru-cache";

import type { Database } from "../../platform/database/tables.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { tarEntries } from "../tarball/archive.ts";
import { gunzip } from "../tarball/gunzip.ts";
import { packageLimits } from "../tarball/limits.ts";

/** The contents of a version's files by their paths. */
export type StoredFiles = ReadonlyMap<string, Buffer>;

/** Every tarball's root, which the hub checked when it was published. */
const root = "package/";
const maxCacheBytes = 64 * 2 ** 20;

interface Unpacked {
  readonly cache: LRUCache<string, StoredFiles>;
  readonly pending: Map<string, Promise<StoredFiles>>;
}

const unpackedByHub = new WeakMap<Hub, Unpacked>();

/** Unpacks the tarball of a version. */
export async function storedFiles(hub: Hub, versionId: number): Promise<StoredFiles> {
  return await filesOfBlob(hub, await blobOf(hub.database, versionId));
}

/** Unpacks a stored tarball. The most recently read ones stay unpacked. */
export async function filesOfBlob(hub: Hub, blob: string): Promise<StoredFiles> {
  let unpacked = unpackedByHub.get(hub);
  if (unpacked === undefined)
    unpackedByHub.set(hub, (unpacked = { cache: newCache(), pending: new Map() }));
  const { cache, pending } = unpacked;
  const known = cache.get(blob) ?? pending.get(blob);
  if (known !== undefined) return await known;
  const work = unpack(hub, blob).finally(() => pending.delete(blob));
  pending.set(blob, work);
  const files = await work;
  cache.set(blob, files);
  return files;
}

function newCache(): LRUCache<string, StoredFiles> {
  return new LRUCache({
    maxSize: maxCacheBytes,
    sizeCalculation: (files) =>
      [...files].reduce((sum, [path, { length }]) => sum + path.length + length + 200, 1),
  });
}

async function blobOf(database: Database, versionId: number): Promise<string> {
  const { blob } = await database
    .selectFrom("versions")
    .where("id", "=", versionId)
    .select("blob")
    .executeTakeFirstOrThrow();
  return blob;
}

async function unpack({ blobs }: Hub, blob: string): Promise<StoredFiles> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined) throw new Error(`Blob ${blob} is missing from the store.`);
  const archive = await gunzip(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    // The hub may have raised its limits, or lowered them since it stored the tarball.
    { ...packageLimits, unpacked: Infinity },
  );
  const files = new Map<string, Buffer>();
  for (const { path, isFolder, content } of tarEntries(archive))
    if (!isFolder) files.set(path.toString("utf8").slice(root.length), content);
  return files;
}
