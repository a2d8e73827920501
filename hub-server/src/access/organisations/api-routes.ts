import { type Organisation as Told, routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { requireIdentity } from "../../identity/request/identity.ts";
import { requireManager } from "../../identity/request/manager.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import type { Database } from "../../platform/database/connect.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import { change } from "../../platform/hub/change.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { createOrganisation } from "./create-organisation.ts";
import { membersOf } from "./members.ts";
import { type Organisation, requireOrganisation } from "./organisation.ts";
import { teamsOf } from "./teams.ts";

/** Making and reading organisations: npm's protocol has no word for it. */
export function organisationApiRoutes(app: FastifyInstance, hub: Hub): void {
  apiRoute(app, routes.createOrganisation, async ({ body: { name }, request }) => {
    const identity = await requireManager(hub, request);
    await requireSecondFactor(hub, request, identity);
    return await change(hub, async (change) =>
      told(change.database, await createOrganisation(change, { identity, name })),
    );
  });

  apiRoute(app, routes.listOrganisations, async ({ request }) => {
    const { userId } = await requireIdentity(hub, request);
    const found = await hub.database
      .selectFrom("memberships")
      .innerJoin("accounts", "accounts.id", "memberships.organisation_id")
      .where("memberships.user_id", "=", userId)
      .orderBy("accounts.name")
      .select(["accounts.name", "accounts.created_at", "memberships.role"])
      .execute();
    return {
      items: found.map(({ name, created_at, role }) => ({
        name,
        createdAt: created_at.toISOString(),
        role,
      })),
    };
  });

  apiRoute(app, routes.readOrganisation, async ({ params, request }) => {
    const identity = await requireIdentity(hub, request);
    const asked = { identity, name: params.organisation, wanted: "developer" } as const;
    return await told(hub.database, await requireOrganisation(hub.database, asked));
  });
}

async function told(
  database: Database,
  { id, name, createdAt, role }: Organisation,
): Promise<Told> {
  const members = await membersOf(database, id);
  const teams = await teamsOf(database, id);
  return { name, createdAt: createdAt.toISOString(), role, members, teams };
}
