import type { Package } from "../../access/permissions/require-package.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** A tarball and its response headers. */
export interface ServedTarball {
  readonly isPublic: boolean;
  readonly versionId: number;
  readonly integrity: string;
  readonly size: number;
  readonly etag: string;
  readonly modified: number;
  readonly blob: string;
  /** `undefined` if the tarball is too large for the cache. */
  readonly bytes: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The maximum size of a cached tarball; larger ones are streamed from the blob store. */
const maxCachedBytes = 2 ** 20;

/** Finds a tarball by its file name. Includes yanked versions, but not unpublished ones. */
export async function servedTarball(
  hub: Hub,
  { id, name, access }: Package,
  file: string,
): Promise<ServedTarball | undefined> {
  const version = versionIn(name, file);
  if (version === undefined) return undefined;
  const row = await hub.database
    .selectFrom("versions")
    .where("package_id", "=", id)
    .where("version", "=", version)
    .where("unpublished_at", "is", null)
    .select(["id", "integrity", "blob", "size", "published_at"])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const etag = `"${row.blob.slice(0, 40)}"`;
  const modified = Math.floor(row.published_at.getTime() / 1000) * 1000;
  const isPublic = access === "public";
  return {
    isPublic,
    versionId: row.id,
    integrity: row.integrity,
    size: row.size,
    etag,
    modified,
    blob: row.blob,
    bytes: row.size > maxCachedBytes ? undefined : await bytesOf(hub, row.blob),
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(row.size),
      "accept-ranges": "bytes",
      etag,
      "last-modified": new Date(modified).toUTCString(),
      "cache-control": `${isPublic ? "public" : "private"}, max-age=31536000, immutable`,
    },
  };
}

function versionIn(name: string, file: string): string | undefined {
  const unscoped = name.slice(name.indexOf("/") + 1);
  if (!file.startsWith(`${unscoped}-`) || !file.endsWith(".tgz")) return undefined;
  const version = file.slice(unscoped.length + 1, -".tgz".length);
  return /^[\w.+-]+$/.test(version) ? version : undefined;
}

/**
 * The integrity that npm sends in `pacote-integrity`, if it is not that of the tarball. Then npm's lockfile comes from
 * another registry, or a proxy changes tarballs.
 */
export function mismatchedIntegrity(
  expected: string | readonly string[] | undefined,
  integrity: string,
): string | undefined {
  if (typeof expected !== "string" || !expected.includes("sha512-")) return undefined;
  return expected.split(/\s+/).includes(integrity) ? undefined : expected.slice(0, 500);
}

async function bytesOf({ blobs }: Hub, blob: string): Promise<Buffer> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined) throw new Error(`Blob ${blob} is missing from the store.`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
