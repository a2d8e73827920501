import type { FastifyInstance } from "fastify";

import type { Upstream } from "../platform/config/upstreams.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { feedStart, readFeed } from "./feed.ts";
import { upstreamFor } from "./find-upstream.ts";
import { upstreamPackage } from "./packument.ts";
import { upstreamTarball } from "./tarball.ts";

const pollMs = 10_000;
/** Renewed after each package. */
const leaseMs = 10 * 60_000;

/** Copies the packages of every mirrored hub while this hub runs, soon after each change. */
export function followMirrors(app: FastifyInstance, hub: Hub): void {
  const closing = new AbortController();
  for (const upstream of hub.settings.HUB_UPSTREAM?.list ?? []) {
    if (upstream.kind !== "mirror") continue;
    let timer: NodeJS.Timeout;
    const poll = async (): Promise<void> => {
      try {
        while (!closing.signal.aborted && (await copyEvents(hub, upstream, closing.signal)));
      } catch (error) {
        // A reader of the log must notice a broken hash chain; an upstream that is down returns.
        const isBroken = error instanceof HubError && error.code === "upstream-invalid";
        hub.log[isBroken ? "error" : "warn"](
          {
            err: error,
            origin: upstream.origin,
            event: isBroken ? "mirror.broken" : "mirror.waits",
          },
          "a mirror cannot continue",
        );
      }
      if (!closing.signal.aborted) timer = setTimeout(() => void poll(), pollMs).unref();
    };
    timer = setTimeout(() => void poll(), 0).unref();
    app.addHook("onClose", async () => clearTimeout(timer));
  }
  app.addHook("preClose", () => closing.abort());
}

/**
 * Copies the packages that the next events have changed, then stores the position. After a crash, the events are copied again.
 * Returns whether more events follow. Does nothing while another replica copies.
 */
export async function copyEvents(
  hub: Hub,
  upstream: Upstream,
  signal?: AbortSignal,
): Promise<boolean> {
  const { origin } = upstream;
  const position = await takeLease(hub, origin);
  if (position === undefined) return false;
  try {
    const { end, names, hasMore } = await readFeed(hub, upstream, position);
    for (const name of names) {
      if (signal?.aborted) return false;
      await copyPackage(hub, upstream, name);
      await renewLease(hub, origin, leaseMs);
    }
    await hub.database.updateTable("mirrors").where("origin", "=", origin).set(end).execute();
    return hasMore;
  } finally {
    await renewLease(hub, origin, 0);
  }
}

async function takeLease({ database, clock }: Hub, origin: string) {
  const now = clock();
  return await database
    .insertInto("mirrors")
    .values({ origin, ...feedStart, lease_until: new Date(now.getTime() + leaseMs) })
    .onConflict((conflict) =>
      conflict
        .column("origin")
        .doUpdateSet((row) => ({ lease_until: row.ref("excluded.lease_until") }))
        .where("mirrors.lease_until", "<=", now),
    )
    .returning(["sequence", "hash"])
    .executeTakeFirst();
}

async function renewLease({ database, clock }: Hub, origin: string, ms: number): Promise<void> {
  await database
    .updateTable("mirrors")
    .where("origin", "=", origin)
    .set({ lease_until: new Date(clock().getTime() + ms) })
    .execute();
}

/** Copies the document of a package and its tarballs, and deletes the tarballs of versions that were unpublished. */
async function copyPackage(hub: Hub, upstream: Upstream, name: string): Promise<void> {
  const serving = await upstreamFor(hub, name);
  if (serving?.origin !== upstream.origin) return;
  try {
    const { document } = await upstreamPackage(hub, upstream, name, { isFresh: true });
    // The times include yanked versions, which lockfiles still install.
    await dropTarballs(hub, name, Object.keys(document.time));
    for (const version of Object.keys(document.versions))
      await upstreamTarball(hub, upstream, { name, version });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    if (error.code === "not-found") await dropTarballs(hub, name, []);
    // One invalid package must not prevent the copies of all others.
    else if (error.code === "upstream-invalid")
      hub.log.error({ err: error, package: name }, "a mirror omits a package or a version");
    else throw error;
  } finally {
    hub.invalidate(name);
  }
}

/** The sweep deletes the blobs. */
async function dropTarballs(
  { database }: Hub,
  name: string,
  remaining: readonly string[],
): Promise<void> {
  await database
    .deleteFrom("upstream_tarballs")
    .where("name", "=", name)
    .$if(remaining.length > 0, (query) => query.where("version", "not in", remaining))
    .execute();
}
