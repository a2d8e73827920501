import type { FastifyInstance, FastifyReply } from "fastify";
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
import { formPage } from "../layout/form-page.ts";
import type { Feedback } from "../layout/handle-change.tsx";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { Invitations } from "./invitations.tsx";
import { sendSettings } from "./settings.tsx";

const section = "/settings/invitations";
const days = 7;

/** Registers the page that creates, lists and revokes invitations. */
export function invitationSettings(app: FastifyInstance, hub: Hub): void {
  const notices = { revoked: "Invitation revoked." };
  const addForm = formPage(app, hub, { path: section, notices, show });

  addForm("/create", async (visitor, _, reply) => {
    const { request, session } = visitor;
    const { organisation, admin } = formFields(request, "organisation", "admin");
    const options = { organisation: organisation || undefined, isAdmin: admin === "yes", days };
    const { secret } = await createInvitation(hub, session.user, options);
    const link = `${originOf(hub.settings, request)}${invitationPath(secret)}`;
    return await show(visitor, reply, { link });
  });

  addForm("/revoke", async ({ request, session }) => {
    const { invitation } = formFields(request, "invitation");
    const isId = /^[0-9a-f-]{36}$/.test(invitation);
    if (isId) await revokeInvitation(hub, session.user, invitation);
    return "revoked";
  });

  async function show(
    visitor: SignedInVisitor,
    reply: FastifyReply,
    { link, ...feedback }: Feedback & { readonly link?: string },
  ): Promise<FastifyReply> {
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
