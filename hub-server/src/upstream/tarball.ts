import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Readable } from "node:stream";

import pLimit from "p-limit";

import { blobKey } from "../platform/blobs/blob-key.ts";
import { keepBlobs } from "../platform/blobs/claims.ts";
import type { Row } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { isSameContent, type UpstreamVersion } from "./document.ts";
import type { FoundUpstream } from "./find-upstream.ts";
import { type GrowingFile, growingFile } from "./growing-file.ts";
import { upstreamPackage } from "./packument.ts";
import { invalid, openUpstream } from "./request.ts";

type UpstreamTarball = Row<"upstream_tarballs">;
type Source = Pick<FoundUpstream, "origin">;

const downloads = pLimit(16);
const pending = new WeakMap<Hub, Map<string, Promise<TarballDownload | undefined>>>();

/** A tarball that the hub downloads. */
interface TarballDownload {
  /** Resolves when bytes can be read. Rejects if the download fails before. */
  readonly begun: Promise<void>;
  /** The bytes as they arrive; fails before the last ones if the tarball does not match its hash. Undefined if it is stored. */
  readonly read: () => Readable | undefined;
  /** The tarball, once it is verified and stored. */
  readonly stored: Promise<UpstreamTarball>;
}

/** A version of an upstream's package. */
export interface UpstreamVersionKey {
  readonly name: string;
  readonly version: string;
}

/**
 * Returns a tarball that is in the blob store. Downloads it first if necessary. A stored tarball no longer needs the upstream.
 * Returns `undefined` if the upstream lacks the version.
 */
export async function upstreamTarball(
  hub: Hub,
  upstream: Source,
  key: UpstreamVersionKey,
): Promise<UpstreamTarball | undefined> {
  return (
    (await storedTarball(hub, key)) ?? (await (await downloadTarball(hub, upstream, key))?.stored)
  );
}

/** Finds a tarball in the blob store. */
export async function storedTarball(
  hub: Hub,
  { name, version }: UpstreamVersionKey,
): Promise<UpstreamTarball | undefined> {
  const stored = await hub.database
    .selectFrom("upstream_tarballs")
    .where("name", "=", name)
    .where("version", "=", version)
    .selectAll()
    .executeTakeFirst();
  return stored !== undefined && (await hub.blobs.has(stored.blob)) ? stored : undefined;
}

/** Downloads a tarball; concurrent calls share a download. Returns `undefined` if the upstream lacks the version. */
export function downloadTarball(
  hub: Hub,
  upstream: Source,
  key: UpstreamVersionKey,
): Promise<TarballDownload | undefined> {
  const calls = pending.get(hub) ?? new Map<string, Promise<TarballDownload | undefined>>();
  pending.set(hub, calls);
  const id = `${key.name}@${key.version}`;
  const shared = calls.get(id);
  if (shared !== undefined) return shared;
  const { promise, resolve } = Promise.withResolvers<TarballDownload | undefined>();
  calls.set(id, promise);
  // Keeps its place until the tarball is stored.
  void downloads(async () => {
    const download = begin(hub, upstream, key);
    resolve(download);
    await download.then((begun) => begun?.stored);
  })
    .catch(() => {})
    .finally(() => calls.delete(id));
  return promise;
}

async function begin(
  hub: Hub,
  upstream: Source,
  { name, version }: UpstreamVersionKey,
): Promise<TarballDownload | undefined> {
  const { document } = await upstreamPackage(hub, upstream, name);
  const dist = Object.hasOwn(document.versions, version)
    ? document.versions[version]?.dist
    : undefined;
  if (dist === undefined) return undefined;
  await hub.space.require();
  const { pathname, search } = new URL(dist.tarball);
  const { status, body, cancel } = await openUpstream(hub, upstream, {
    path: `${pathname}${search}`,
    accept: "application/octet-stream, */*;q=0.1",
    maxBytes: hub.settings.HUB_UPSTREAM_BYTES,
    timeoutMs: hub.settings.HUB_UPSTREAM_TIMEOUT * 1000,
  });
  if (status !== 200) await cancel();
  if (status === 404 || status === 410) return undefined;
  if (status !== 200) throw invalid(`the tarball of ${name}@${version} has the status ${status}`);
  const path = hub.blobs.newFile();
  const file = await growingFile(path);
  const stored = receive(hub, upstream, { key: { name, version }, dist, body, path, file });
  // Reported by `read`, also if no caller waits for `stored`.
  stored.catch(() => {});
  return { begun: file.begun, read: () => file.read(), stored };
}

interface Receiving {
  readonly key: UpstreamVersionKey;
  readonly dist: UpstreamVersion["dist"];
  readonly body: AsyncIterable<Uint8Array>;
  readonly path: string;
  readonly file: GrowingFile;
}

/** Writes a body to a file, and moves the file to the blob store if it has the right hash. */
async function receive(
  hub: Hub,
  { origin }: Source,
  { key: { name, version }, dist, body, path, file }: Receiving,
): Promise<UpstreamTarball> {
  const [sha1, sha512] = [createHash("sha1"), createHash("sha512")];
  let size = 0;
  try {
    for await (const part of body) {
      sha1.update(part);
      sha512.update(part);
      size += part.byteLength;
      await file.append(part);
    }
    const digests = {
      shasum: sha1.digest("hex"),
      integrity: `sha512-${sha512.digest("base64")}`,
    };
    if (!isSameContent(dist, digests)) {
      hub.log.error(
        { event: "upstream.changed", package: name, origin, versions: [version] },
        "an upstream sent a tarball that does not match its hash",
      );
      throw invalid(
        `the tarball of ${name}@${version} does not match the hash that the hub received first`,
      );
    }
    await file.sync();
    const row = { name, version, ...digests, blob: blobKey(digests.integrity), size };
    const stored = { ...row, fetched_at: hub.clock() };
    await keepBlobs(hub, [{ key: row.blob, path }]);
    await hub.database
      .insertInto("upstream_tarballs")
      .values(stored)
      .onConflict((conflict) => conflict.columns(["name", "version"]).doNothing())
      .execute();
    file.end();
    return stored;
  } catch (error) {
    file.end(error as Error);
    await rm(path, { force: true });
    throw error;
  }
}
