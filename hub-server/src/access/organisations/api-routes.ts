import { type Organisation as OrganisationResponse, routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { requireIdentity } from "../../identity/request/identity.ts";
import { requireManager } from "../../identity/request/manager.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import type { Database } from "../../platform/database/tables.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { listMembers } from "./members.ts";
import { createOrganisation, organisationsOf } from "./memberships.ts";
import { type Organisation, requireOrganisation } from "./organisation.ts";
import { listTeams } from "./teams.ts";

/** Routes that create, list and read organisations. npm's protocol does not have them. */
export function organisationApiRoutes(app: FastifyInstance, hub: Hub): void {
  apiRoute(app, routes.createOrganisation, async ({ body: { name }, request }) => {
    const identity = await requireManager(hub, request);
    await requireSecondFactor(hub, request, identity);
    return await change(hub, async (change) =>
      organisationResponse(
        change.database,
        await createOrganisation(change, identity, { name, settings: hub.settings }),
      ),
    );
  });

  apiRoute(app, routes.listOrganisations, async ({ request }) => {
    const { userId } = await requireIdentity(hub, request);
    const memberships = await organisationsOf(hub.database, userId);
    return {
      items: memberships.map(({ name, createdAt, role }) => ({
        name,
        createdAt: createdAt.toISOString(),
        role,
      })),
    };
  });

  apiRoute(app, routes.readOrganisation, async ({ params, request }) => {
    const identity = await requireIdentity(hub, request);
    const organisation = await requireOrganisation(
      hub.database,
      identity,
      params.organisation,
      "developer",
    );
    return await organisationResponse(hub.database, organisation);
  });
}

async function organisationResponse(
  database: Database,
  { id, name, createdAt, role }: Organisation,
): Promise<OrganisationResponse> {
  const members = await listMembers(database, id);
  const teams = await listTeams(database, id);
  return { name, createdAt: createdAt.toISOString(), role, members, teams };
}
