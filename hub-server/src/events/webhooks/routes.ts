import { routes } from "@envs/hub-client";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { sql } from "kysely";

import { administers } from "../../access/permissions/permission-query.ts";
import { requirePackage } from "../../access/permissions/require-package.ts";
import { type Identity, requireIdentity } from "../../identity/request/identity.ts";
import { rejectLimited, requireManager } from "../../identity/request/manager.ts";
import { requireSecondFactor } from "../../identity/second-factor/second-factor.ts";
import type { Database } from "../../platform/database/connect.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { lastSequence } from "../feed.ts";
import { lastDeliveries } from "./last-deliveries.ts";
import { addWebhook, webhook, webhooksOf } from "./store.ts";

/** Who is told of what, where. */
export function webhookRoutes(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;

  apiRoute(app, routes.listWebhooks, async ({ request }) => {
    const identity = await requireReader(hub, request);
    return { items: await webhooksOf(database, identity) };
  });

  apiRoute(app, routes.createWebhook, async ({ body, request }) => {
    const identity = await requireManager(hub, request);
    await requireSecondFactor(hub, request, identity);
    const accountId = await administered(database, identity, body.account ?? identity.name);
    const packageId =
      body.package === undefined
        ? null
        : await packageOf(database, { identity, accountId, name: body.package });
    const cursor = await lastSequence(database);
    const made = await addWebhook(database, {
      url: body.url,
      accountId,
      packageId,
      types: body.types,
      createdBy: identity.userId,
      now: hub.clock(),
      cursor,
    });
    return { ...(await webhook(database, { identity, id: made.id })), secret: made.secret };
  });

  apiRoute(app, routes.deleteWebhook, async ({ params, request }) => {
    const identity = await requireManager(hub, request);
    const found = await webhook(database, { identity, id: params.id });
    await database.deleteFrom("webhooks").where("id", "=", found.id).execute();
    return found;
  });

  apiRoute(app, routes.listDeliveries, async ({ params, request }) => {
    const { id } = await webhook(database, {
      identity: await requireReader(hub, request),
      id: params.id,
    });
    return { items: await lastDeliveries(database, id) };
  });
}

/** A webhook tells of all packages of an account, so a token for some of them has no say in it. */
async function requireReader(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await requireIdentity(hub, request);
  rejectLimited(identity);
  return identity;
}

/** The account, if this is somebody who may speak for it. */
async function administered(database: Database, identity: Identity, name: string): Promise<number> {
  if (name === identity.name) return identity.userId;
  const row = await database
    .selectFrom("accounts")
    .where("accounts.name", "=", name)
    .where(administers(identity, sql`accounts.id`))
    .select("accounts.id")
    .executeTakeFirst();
  if (row === undefined)
    throw forbidden(`Only owners and administrators of ${name} may add its webhooks.`);
  return row.id;
}

async function packageOf(
  database: Database,
  {
    identity,
    accountId,
    name,
  }: { readonly identity: Identity; readonly accountId: number; readonly name: string },
): Promise<number> {
  const found = await requirePackage(database, { identity, name, permission: "admin" });
  if (found.owner_id === accountId) return found.id;
  throw new HubError("package-of-another", {
    message: `${name} belongs to another account than the webhook. Name its owner as account.`,
  });
}
