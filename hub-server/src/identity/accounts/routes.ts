import { type Invitation, routes } from "@envs/hub-client";
import type { FastifyInstance, FastifyRequest } from "fastify";

import { forbidden, notFound } from "../../platform/errors/hub-error.ts";
import { apiRoute } from "../../platform/http/api-route.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { requireManager } from "../request/manager.ts";
import { requireOneTimePassword, requireSecondFactor } from "../second-factor/second-factor.ts";
import { changeUser } from "./change-user.ts";
import { invitationPath } from "./invitations.ts";
import {
  createInvitation,
  type Inviter,
  type OpenInvitation,
  openInvitations,
  revokeInvitation,
} from "./inviting.ts";

/** The API routes for users and invitations. */
export function accountApiRoutes(app: FastifyInstance, hub: Hub): void {
  apiRoute(app, routes.changeUser, async ({ params, body, request }) => {
    const identity = await requireManager(hub, request);
    if (!identity.isAdmin) throw forbidden("Only the hub's administrators may change other users.");
    if (identity.hasSecondFactor) await requireOneTimePassword(hub, request, identity);
    const { createdAt, ...user } = await changeUser(hub, {
      ...body,
      name: params.user,
      actor: identity.name,
    });
    return { ...user, createdAt: createdAt.toISOString() };
  });

  apiRoute(app, routes.listInvitations, async ({ request }) => {
    const inviter = await inviterOf(hub, request);
    return { items: (await openInvitations(hub, inviter)).map(toInvitation) };
  });

  apiRoute(app, routes.createInvitation, async ({ body, request }) => {
    const inviter = await inviterOf(hub, request, { changes: true });
    const { secret, ...invitation } = await createInvitation(hub, inviter, body);
    const url = `${originOf(hub.settings, request)}${invitationPath(secret)}`;
    return { ...toInvitation(invitation), url };
  });

  apiRoute(app, routes.revokeInvitation, async ({ params: { id }, request }) => {
    const inviter = await inviterOf(hub, request, { changes: true });
    if (!(await revokeInvitation(hub, inviter, id))) throw notFound("This invitation");
    return { id };
  });
}

async function inviterOf(
  hub: Hub,
  request: FastifyRequest,
  { changes = false }: { readonly changes?: boolean } = {},
): Promise<Inviter> {
  const identity = await requireManager(hub, request);
  if (changes) await requireSecondFactor(hub, request, identity);
  return { id: identity.userId, name: identity.name, isAdmin: identity.isAdmin };
}

function toInvitation({ createdAt, expiresAt, ...others }: OpenInvitation): Invitation {
  return {
    ...others,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}
