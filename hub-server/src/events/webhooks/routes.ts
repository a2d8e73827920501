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

/** The API routes for webhooks. */
export function webhookRoutes(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;

  apiRoute(app, routes.listWebhooks, async ({ request }) => {
    const identity = await requireReader(hub, request);
    return { items: await webhooksOf(database, identity) };
  });

  apiRoute(app, routes.createWebhook, async ({ body, request }) => {
    const identity = await requireManager(hub, request);
    await requireSecondFactor(hub, request, identity);
    const accountId = await administeredAccount(database, identity, body.account ?? identity.name);
    const packageId =
      body.package === undefined
        ? null
        : await packageOf(database, { identity, accountId, name: body.package });
    const cursor = await lastSequence(database);
    const { id, secret } = await addWebhook(database, {
      url: body.url,
      accountId,
      packageId,
      types: body.types,
      createdBy: identity.userId,
      now: hub.clock(),
      cursor,
    });
    return { ...(await webhook(database, { identity, id })), secret };
  });

  apiRoute(app, routes.deleteWebhook, async ({ params, request }) => {
    const identity = await requireManager(hub, request);
    const deleted = await webhook(database, { identity, id: params.id });
    await database.deleteFrom("webhooks").where("id", "=", deleted.id).execute();
    return deleted;
  });

  apiRoute(app, routes.listDeliveries, async ({ params, request }) => {
    const { id } = await webhook(database, {
      identity: await requireReader(hub, request),
      id: params.id,
    });
    return { items: await lastDeliveries(database, id) };
  });
}

/** A webhook reports all packages of an account, so a token limited to packages cannot read it. */
async function requireReader(hub: Hub, request: FastifyRequest): Promise<Identity> {
  const identity = await requireIdentity(hub, request);
  rejectLimited(identity);
  return identity;
}

/** Returns the id of an account that the user administers. */
async function administeredAccount(
  database: Database,
  identity: Identity,
  name: string,
): Promise<number> {
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
  const { id, owner_id: ownerId } = await requirePackage(database, {
    identity,
    name,
    permission: "admin",
  });
  if (ownerId === accountId) return id;
  throw new HubError("package-of-another", {
    message: `${name} does not belong to the webhook's account. Set the account to the owner of the package.`,
  });
}
