import type { Readable } from "node:stream";

import type { Package } from "../../access/permissions/require-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { FoundUpstream } from "../../upstream/find-upstream.ts";
import { downloadTarball, storedTarball, upstreamTarball } from "../../upstream/tarball.ts";

/** A tarball and its response headers. */
export interface ServedTarball {
  readonly isPublic: boolean;
  /** `undefined` for a package of an upstream, whose downloads are not counted. */
  readonly versionId: number | undefined;
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
  return await toServed(hub, {
    ...row,
    versionId: row.id,
    isPublic: access === "public",
    modifiedAt: row.published_at,
  });
}

/** Finds a tarball of an upstream by its file name, and downloads it first if necessary. */
export async function servedFromUpstream(
  hub: Hub,
  upstream: FoundUpstream,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<ServedTarball | undefined> {
  const version = versionIn(name, file);
  if (version === undefined) return undefined;
  const stored = await upstreamTarball(hub, upstream, { name, version });
  const { isPublic } = upstream;
  return (
    stored &&
    (await toServed(hub, {
      ...stored,
      versionId: undefined,
      isPublic,
      modifiedAt: stored.fetched_at,
    }))
  );
}

/** Begins the download of a tarball that is not stored yet, and waits for its first bytes. Undefined if it is stored. */
export async function newDownload(
  hub: Hub,
  upstream: FoundUpstream,
  { name, file }: { readonly name: string; readonly file: string },
): Promise<Readable | undefined> {
  const version = versionIn(name, file);
  if (version === undefined) return undefined;
  const key = { name, version };
  if (await storedTarball(hub, key)) return undefined;
  const download = await downloadTarball(hub, upstream, key);
  if (download === undefined) throw notFound(`${name}/-/${file}`);
  await download.begun;
  return download.read();
}

async function toServed(
  hub: Hub,
  {
    versionId,
    integrity,
    blob,
    size,
    isPublic,
    modifiedAt,
  }: Pick<ServedTarball, "versionId" | "integrity" | "blob" | "size" | "isPublic"> & {
    readonly modifiedAt: Date;
  },
): Promise<ServedTarball> {
  const etag = `"${blob.slice(0, 40)}"`;
  const modified = Math.floor(modifiedAt.getTime() / 1000) * 1000;
  return {
    isPublic,
    versionId,
    integrity,
    size,
    etag,
    modified,
    blob,
    bytes: size > maxCachedBytes ? undefined : await bytesOf(hub, blob),
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(size),
      "accept-ranges": "bytes",
      etag,
      "last-modified": new Date(modified).toUTCString(),
      "cache-control": `${isPublic ? "public" : "private"}, max-age=31536000, immutable`,
    },
  };
}

/** The version in the file name of a tarball. */
export function versionIn(name: string, file: string): string | undefined {
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
