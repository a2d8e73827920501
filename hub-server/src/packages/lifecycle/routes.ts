import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { changePackage } from "../../access/changes/change-package.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { setArchived } from "./archive.ts";
import { setYanked } from "./yank.ts";

/** What a package goes through besides new versions: yanking and the archive. */
export function lifecycleRoutes(app: FastifyInstance, hub: Hub): void {
  for (const [route, isYanked] of [
    [routes.yankVersion, true],
    [routes.unyankVersion, false],
  ] as const)
    apiRoute(app, route, async ({ params: { name, version }, request }) => {
      await changePackage(hub, request, {
        name,
        wanted: "write",
        work: (change) => setYanked(change, { version, isYanked }),
      });
      return { name, version, isYanked };
    });
  for (const [route, isArchived] of [
    [routes.archivePackage, true],
    [routes.unarchivePackage, false],
  ] as const)
    apiRoute(app, route, async ({ params: { name }, request }) => {
      await changePackage(hub, request, {
        name,
        wanted: "admin",
        evenIfArchived: true,
        work: (change) => setArchived(change, isArchived),
      });
      return { name, isArchived };
    });
}
