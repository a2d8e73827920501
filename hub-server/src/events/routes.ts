import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { identify } from "../identity/request/identity.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { eventsAfter, lastSequence } from "./feed.ts";

/** The API route of the event log, for mirrors and monitoring. */
export function eventRoutes(app: FastifyInstance, hub: Hub): void {
  apiRoute(app, routes.readEvents, async ({ query, request }) => {
    const reader = await identify(hub, request);
    const last = await lastSequence(hub.database);
    return { items: await eventsAfter(hub.database, { ...query, reader }), last };
  });
}
