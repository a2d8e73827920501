import pLimit from "p-limit";

import { tarballDigests } from "../packages/tarball/digests.ts";
import { blobKey } from "../platform/blobs/blob-key.ts";
import { keepBlobs } from "../platform/blobs/claims.ts";
import type { Row } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { isSameContent } from "./document.ts";
import type { FoundUpstream } from "./find-upstream.ts";
import { upstreamPackage } from "./packument.ts";
import { invalid, requestUpstream } from "./request.ts";

export type UpstreamTarball = Row<"upstream_tarballs">;
type Source = Pick<FoundUpstream, "origin">;

const timeoutMs = 120_000;
/** Tarballs are in memory until their hash is verified. */
const downloads = pLimit(4);
const pending = new WeakMap<Hub, Map<string, Promise<UpstreamTarball | undefined>>>();

/** A version of an upstream's package. */
export interface UpstreamVersionKey {
  readonly name: string;
  readonly version: string;
}

/**
 * Returns a tarball that is in the blob store. Downloads it first if necessary; concurrent calls share a download. A stored
 * tarball no longer needs the upstream. Returns `undefined` if the upstream lacks the version.
 */
export async function upstreamTarball(
  hub: Hub,
  upstream: Source,
  key: UpstreamVersionKey,
): Promise<UpstreamTarball | undefined> {
  const stored = await hub.database
    .selectFrom("upstream_tarballs")
    .where("name", "=", key.name)
    .where("version", "=", key.version)
    .selectAll()
    .executeTakeFirst();
  if (stored !== undefined && (await hub.blobs.has(stored.blob))) return stored;
  const calls = pending.get(hub) ?? new Map<string, Promise<UpstreamTarball | undefined>>();
  pending.set(hub, calls);
  const id = `${key.name}@${key.version}`;
  const shared = calls.get(id);
  if (shared !== undefined) return await shared;
  const call = downloads(() => download(hub, upstream, key));
  calls.set(id, call);
  try {
    return await call;
  } finally {
    calls.delete(id);
  }
}

async function download(
  hub: Hub,
  upstream: Source,
  { name, version }: UpstreamVersionKey,
): Promise<UpstreamTarball | undefined> {
  const { document } = await upstreamPackage(hub, upstream, name);
  const dist = Object.hasOwn(document.versions, version)
    ? document.versions[version]?.dist
    : undefined;
  if (dist === undefined) return undefined;
  const { pathname, search } = new URL(dist.tarball);
  const { status, bytes } = await requestUpstream(hub, upstream, {
    path: `${pathname}${search}`,
    accept: "application/octet-stream, */*;q=0.1",
    maxBytes: hub.settings.HUB_UPSTREAM_BYTES,
    timeoutMs,
  });
  if (status === 404 || status === 410) return undefined;
  if (status !== 200) throw invalid(`the tarball of ${name}@${version} has the status ${status}`);
  const digests = await tarballDigests(bytes);
  if (!isSameContent(dist, digests)) {
    const { origin } = upstream;
    hub.log.error(
      { event: "upstream.changed", package: name, origin, versions: [version] },
      "an upstream sent a tarball that does not match its hash",
    );
    throw invalid(
      `the tarball of ${name}@${version} does not match the hash that the hub received first`,
    );
  }
  return await store(hub, { name, version, ...digests, bytes });
}

async function store(
  hub: Hub,
  {
    bytes,
    ...digests
  }: Pick<UpstreamTarball, "name" | "version" | "integrity" | "shasum"> & {
    readonly bytes: Buffer<ArrayBuffer>;
  },
): Promise<UpstreamTarball> {
  const blob = blobKey(digests.integrity);
  await keepBlobs(hub, [{ key: blob, bytes }]);
  const row = { ...digests, blob, size: bytes.byteLength, fetched_at: hub.clock() };
  await hub.database
    .insertInto("upstream_tarballs")
    .values(row)
    .onConflict((conflict) => conflict.columns(["name", "version"]).doNothing())
    .execute();
  return row;
}
