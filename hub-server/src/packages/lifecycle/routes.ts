import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { changePackage } from "../../access/changes/change-package.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { setArchived, setYanked } from "./lifecycle.ts";

/** Routes to yank versions and to archive packages. npm deprecates versions with a package document. */
export function lifecycleRoutes(app: FastifyInstance, hub: Hub): void {
  for (const [route, isYanked] of [
    [routes.yankVersion, true],
    [routes.unyankVersion, false],
  ] as const)
    apiRoute(app, route, async ({ params: { name, version }, request }) => {
      await changePackage(hub, request, {
        name,
        permission: "write",
        work: (change) => setYanked(change, version, isYanked),
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
        permission: "admin",
        evenIfArchived: true,
        work: (change) => setArchived(change, isArchived),
      });
      return { name, isArchived };
    });
}
