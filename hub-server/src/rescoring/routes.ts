import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { readablePackage } from "../access/permissions/require-package.ts";
import { requireRun } from "../evaluations/runs/read-runs.ts";
import { identify } from "../identity/request/identity.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { readRescoring } from "./job-queue.ts";
import { readRewardDiff } from "./read-reward-diff.ts";

/** Registers the routes that read the evidence for a run's scores. */
export function rescoringRoutes(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;
  apiRoute(app, routes.readRescoring, async ({ params, request }) => {
    const { id } = await requireRun(database, await identify(hub, request), params.run);
    return await readRescoring(hub, id);
  });

  apiRoute(app, routes.readRewardDiff, async ({ params: { name }, query, request }) => {
    const { id } = await readablePackage(hub, request, name);
    return await readRewardDiff(hub, { packageId: id, ...query });
  });
}
