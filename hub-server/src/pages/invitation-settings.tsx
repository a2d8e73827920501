import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { invitationPath } from "../identity/accounts/invitations.ts";
import {
  createInvitation,
  openInvitations,
  type OpenInvitation,
  organisationsToInviteTo,
  revokeInvitation,
} from "../identity/accounts/inviting.ts";
import { originOf } from "../platform/http/origin.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { fieldsOf, problemOf } from "./fields.ts";
import { Invitations } from "./invitations.tsx";
import { type Done, sendSettings } from "./settings.tsx";
import { type SignedIn, signedIn, signedInForm } from "./signed-in.ts";

const at = "/settings/invitations";
const days = 7;
const notices: Readonly<Record<string, string>> = { revoked: "The invitation is taken back." };

/** Inviting people, and taking invitations back. */
export function invitationSettings(app: FastifyInstance, hub: Hub): void {
  app.get<Done>(at, async (request, reply) => {
    const visitor = await signedIn(hub, request, reply);
    return await show(visitor, reply, { notice: notices[request.query.done ?? ""] });
  });

  app.post(`${at}/create`, async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const { organisation, admin } = fieldsOf(request, "organisation", "admin");
    const invited = { organisation: organisation || undefined, isAdmin: admin === "yes", days };
    try {
      const { secret } = await createInvitation(hub, visitor.session.user, invited);
      const link = `${originOf(hub.settings, request)}${invitationPath(secret)}`;
      return await show(visitor, reply, { link });
    } catch (error) {
      return await show(visitor, reply, problemOf(error));
    }
  });

  app.post(`${at}/revoke`, async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const { invitation } = fieldsOf(request, "invitation");
    const isId = /^[0-9a-f-]{36}$/.test(invitation);
    if (isId) await revokeInvitation(hub, visitor.session.user, invitation);
    return reply.redirect(`${at}?done=revoked`, 303);
  });

  async function show(
    visitor: SignedIn,
    reply: Parameters<typeof sendSettings>[0],
    {
      link,
      ...said
    }: { link?: string; notice?: string | undefined; problem?: string; status?: number },
  ): Promise<unknown> {
    const { user } = visitor.session;
    const invitations: readonly OpenInvitation[] = await openInvitations(hub, user);
    const organisations = await organisationsToInviteTo(hub.database, user);
    const isClosed = hub.settings.HUB_REGISTRATION === "closed";
    const children: ReactNode = (
      <Invitations {...{ visitor, invitations, organisations, isClosed, link }} />
    );
    return sendSettings(reply, visitor, { at, children, ...said });
  }
}
