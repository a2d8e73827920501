import type { Package } from "../../access/permissions/require-package.ts";
import type { Hub } from "../../platform/hub/hub.ts";

/** A tarball as it is sent; its bytes are at hand if they are few. */
export interface ServedTarball {
  readonly isPublic: boolean;
  readonly versionId: number;
  readonly integrity: string;
  readonly etag: string;
  readonly modified: number;
  readonly blob: string;
  readonly bytes: Buffer | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Larger ones are sent from the store, as fast as the client takes them. */
const keptBytes = 2 ** 20;

/** The tarball of a file name. A yanked version still has one; an unpublished one does not. */
export async function servedTarball(
  hub: Hub,
  { id, name, access }: Package,
  file: string,
): Promise<ServedTarball | undefined> {
  const version = versionIn(name, file);
  if (version === undefined) return undefined;
  const found = await hub.database
    .selectFrom("versions")
    .where("package_id", "=", id)
    .where("version", "=", version)
    .where("unpublished_at", "is", null)
    .select(["id", "integrity", "blob", "size", "published_at"])
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const etag = `"${found.blob.slice(0, 40)}"`;
  const modified = Math.floor(found.published_at.getTime() / 1000) * 1000;
  const isPublic = access === "public";
  return {
    isPublic,
    versionId: found.id,
    integrity: found.integrity,
    etag,
    modified,
    blob: found.blob,
    bytes: found.size > keptBytes ? undefined : await bytesOf(hub, found.blob),
    headers: {
      "content-type": "application/octet-stream",
      "content-length": String(found.size),
      etag,
      "last-modified": new Date(modified).toUTCString(),
      "cache-control": `${isPublic ? "public" : "private"}, max-age=31536000, immutable`,
    },
  };
}

function versionIn(name: string, file: string): string | undefined {
  const bare = name.slice(name.indexOf("/") + 1);
  if (!file.startsWith(`${bare}-`) || !file.endsWith(".tgz")) return undefined;
  const version = file.slice(bare.length + 1, -".tgz".length);
  return /^[\w.+-]+$/.test(version) ? version : undefined;
}

async function bytesOf({ blobs }: Hub, blob: string): Promise<Buffer> {
  const bytes = await blobs.get(blob);
  if (bytes === undefined) throw new Error(`The blob ${blob} is missing.`);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
