import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { identify } from "../identity/request/identity.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { eventsAfter, lastSequence } from "./feed.ts";

/** The event log, for whoever mirrors or watches the hub. */
export function eventRoutes(app: FastifyInstance, hub: Hub): void {
  apiRoute(app, routes.readEvents, async ({ query, request }) => {
    const reader = await identify(hub, request);
    const last = await lastSequence(hub.database);
    return { items: await eventsAfter(hub.database, { ...query, reader }), last };
  });
}
