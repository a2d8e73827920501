import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { readablePackage } from "../access/permissions/require-package.ts";
import { identify } from "../identity/request/identity.ts";
import { notFound } from "../platform/errors/hub-error.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import { originOf } from "../platform/http/origin.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { downloadsByDay, downloadsByVersion, requestedPeriod } from "../registry/downloads/read.ts";
import { compareVersions } from "./compare-versions.ts";
import { packageDetail } from "./package-detail.ts";
import { dependentsOf, profileOf } from "./profile.ts";
import { statistics } from "./statistics.ts";
import { versionDetail } from "./version-detail.ts";

/** Registers the read routes of the hub's API: packages, versions, downloads, users and statistics. */
export function readRoutes(app: FastifyInstance, hub: Hub): void {
  const { database, clock, settings } = hub;

  apiRoute(app, routes.readPackage, async ({ params: { name }, request }) => {
    const detail = await packageDetail(
      database,
      await readablePackage(hub, request, name),
      clock(),
    );
    // The row of a package remains after its last version was unpublished.
    if (detail.versions.length === 0) throw notFound(name);
    return detail;
  });

  apiRoute(app, routes.readVersion, async ({ params: { name, version }, request }) => {
    const package_ = await readablePackage(hub, request, name);
    const origin = originOf(settings, request);
    const detail = await versionDetail(database, package_, { versionOrTag: version, origin });
    if (detail === undefined) throw notFound(`${name}@${version}`);
    return detail;
  });

  apiRoute(app, routes.readDownloads, async ({ params, query, request }) => {
    const { id } = await readablePackage(hub, request, params.name);
    const period = requestedPeriod(query, clock());
    const days = await downloadsByDay(database, id, period);
    return {
      ...period,
      total: days.reduce((sum, { count }) => sum + count, 0),
      days,
      versions: await downloadsByVersion(database, id, period),
    };
  });

  apiRoute(app, routes.compareVersions, async ({ params: { name, ...versions }, request }) => {
    const package_ = await readablePackage(hub, request, name);
    const comparison = await compareVersions(database, package_, versions);
    if (comparison === undefined) throw notFound(`${name}@${versions.from} or @${versions.to}`);
    return comparison;
  });

  apiRoute(app, routes.listDependents, async ({ params: { name }, query, request }) => {
    await readablePackage(hub, request, name);
    const identity = await identify(hub, request);
    return await dependentsOf(database, { name, identity, ...query });
  });

  apiRoute(app, routes.readUser, async ({ params: { user }, request }) => {
    const identity = await identify(hub, request);
    const profile = await profileOf(database, { name: user, identity });
    if (profile === undefined) throw notFound(user);
    return profile;
  });

  apiRoute(app, routes.readStatistics, () => statistics(hub));
}
