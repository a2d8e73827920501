import type { FastifyInstance } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import { memberRoutes } from "./member-routes.tsx";
import { logRoutes, organisationOverview, stagedRoutes } from "./overview-routes.tsx";
import { teamListRoutes } from "./team-list-routes.tsx";
import { teamRoutes } from "./team-routes.tsx";

/** Registers the pages of organisations and teams. */
export function organisationPages(app: FastifyInstance, hub: Hub): void {
  organisationOverview(app, hub);
  memberRoutes(app, hub);
  logRoutes(app, hub);
  stagedRoutes(app, hub);
  teamListRoutes(app, hub);
  teamRoutes(app, hub);
}
