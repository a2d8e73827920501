import type { FastifyRequest } from "fastify";

import { identify } from "../identity/request/identity.ts";
import { isLimited } from "../identity/request/manager.ts";
import { configuredUpstream, type Upstream } from "../platform/config/upstreams.ts";
import type { Database } from "../platform/database/tables.ts";
import { notFound } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { isPackageName, packageName } from "../platform/names/package-name.ts";
import { loopHeader } from "./request.ts";

/** An upstream for one client. */
export interface FoundUpstream extends Upstream {
  /** Whether anonymous clients may read its packages: the hub reads them without a token, too. */
  readonly isPublic: boolean;
}

/**
 * Returns the upstream that serves a package to the client of a request. See {@link upstreamFor}. Throws `not-found` if the
 * client may not read it.
 */
export async function upstreamOf(
  hub: Hub,
  request: FastifyRequest,
  name: string,
): Promise<FoundUpstream | undefined> {
  const upstream = await upstreamFor(hub, name);
  if (upstream === undefined) return undefined;
  if (String(request.headers["cdn-loop"] ?? "").includes(loopHeader["cdn-loop"]))
    throw notFound(name);
  const isPublic = !hub.settings.HUB_UPSTREAM_TOKENS?.has(new URL(upstream.origin).host);
  if (!isPublic) {
    const identity = await identify(hub, request);
    if (identity === undefined || isLimited(identity)) throw notFound(name);
  }
  return { ...upstream, isPublic };
}

/**
 * Returns the upstream that serves a package, or `undefined` if the name belongs to this hub: by the settings, because a package
 * of this name exists here, or, for an upstream with `*`, because an account here has the scope. A name never belongs to both,
 * so a package of this hub cannot be replaced from outside.
 */
export async function upstreamFor(
  { settings: { HUB_UPSTREAM }, database }: Hub,
  name: string,
): Promise<Upstream | undefined> {
  if (HUB_UPSTREAM === undefined || !isPackageName(name)) return undefined;
  const configured = configuredUpstream(HUB_UPSTREAM, name);
  if (configured === undefined || (await isOwn(database, name, configured))) return undefined;
  return configured.upstream;
}

async function isOwn(
  database: Database,
  name: string,
  { isExplicit }: { readonly isExplicit: boolean },
): Promise<boolean> {
  const existing = await database
    .selectFrom("packages")
    .where("name", "=", name)
    .select("id")
    .executeTakeFirst();
  if (existing !== undefined || isExplicit) return existing !== undefined;
  const account = await database
    .selectFrom("accounts")
    .where("name", "=", packageName(name).scope ?? "")
    .select("id")
    .executeTakeFirst();
  return account !== undefined;
}
