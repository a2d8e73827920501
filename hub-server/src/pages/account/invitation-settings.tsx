import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { invitationPath } from "../../identity/accounts/invitations.ts";
import {
  createInvitation,
  type OpenInvitation,
  openInvitations,
  organisationsToInviteTo,
  revokeInvitation,
} from "../../identity/accounts/inviting.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import type { DoneQuery, Feedback } from "../layout/handle-change.tsx";
import {
  formFields,
  formProblem,
  requireSession,
  requireSessionForm,
  type SignedInVisitor,
} from "../layout/require-session.ts";
import { Invitations } from "./invitations.tsx";
import { sendSettings } from "./settings.tsx";

const section = "/settings/invitations";
const days = 7;
const notices: Readonly<Record<string, string>> = { revoked: "Invitation revoked." };

/** Registers the page that creates, lists and revokes invitations. */
export function invitationSettings(app: FastifyInstance, hub: Hub): void {
  app.get<DoneQuery>(section, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    return await show(visitor, reply, { notice: notices[request.query.done ?? ""] });
  });

  app.post(`${section}/create`, async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const { organisation, admin } = formFields(request, "organisation", "admin");
    const options = { organisation: organisation || undefined, isAdmin: admin === "yes", days };
    try {
      const { secret } = await createInvitation(hub, visitor.session.user, options);
      const link = `${originOf(hub.settings, request)}${invitationPath(secret)}`;
      return await show(visitor, reply, { link });
    } catch (error) {
      return await show(visitor, reply, formProblem(error));
    }
  });

  app.post(`${section}/revoke`, async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const { invitation } = formFields(request, "invitation");
    const isId = /^[0-9a-f-]{36}$/.test(invitation);
    if (isId) await revokeInvitation(hub, visitor.session.user, invitation);
    return reply.redirect(`${section}?done=revoked`, 303);
  });

  async function show(
    visitor: SignedInVisitor,
    reply: Parameters<typeof sendSettings>[0],
    { link, ...feedback }: Feedback & { readonly link?: string },
  ): Promise<unknown> {
    const { user } = visitor.session;
    const invitations: readonly OpenInvitation[] = await openInvitations(hub, user);
    const organisations = await organisationsToInviteTo(hub.database, user);
    const isClosed = hub.settings.HUB_REGISTRATION === "closed";
    const { organisation } = visitor.request.query as { readonly organisation?: string };
    const children: ReactNode = (
      <Invitations {...{ visitor, invitations, organisations, organisation, isClosed, link }} />
    );
    return sendSettings(reply, visitor, { section, children, ...feedback });
  }
}
