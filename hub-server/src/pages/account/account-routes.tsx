import type { FastifyInstance } from "fastify";

import { createUser } from "../../identity/accounts/create-user.ts";
import { invitationPath, openInvitation } from "../../identity/accounts/invitations.ts";
import { countAttempt } from "../../identity/credentials/attempts.ts";
import { afterSignUp } from "../../identity/credentials/terms.ts";
import {
  formVisitor,
  redirectPath,
  type Visitor,
  visitorOf,
} from "../../identity/sessions/visitor.ts";
import type { Row } from "../../platform/database/tables.ts";
import { forbidden, HubError } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sendPage } from "../layout/page.tsx";
import { formFields, formProblem } from "../layout/require-session.ts";
import { signIn } from "./sign-in-routes.tsx";
import { NewAccount } from "./sign-in.tsx";

type Invitation = Row<"invitations">;
interface InvitationRoute {
  Params: { readonly secret: string };
}

const home = "/settings";
const emptyValues = { name: "", email: "" };

/** Registers the pages that create an account: with an invitation, or without one if registration is open. */
export function accountRoutes(app: FastifyInstance, hub: Hub): void {
  const providers = hub.settings.HUB_SIGN_IN_PROVIDERS;
  app.get<InvitationRoute>("/invite/:secret", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const { secret } = request.params;
    const invitation = await invitationOf(hub, { secret, address: request.ip });
    const action = invitationPath(secret);
    const children = (
      <NewAccount {...{ action, next: home, values: emptyValues, providers, invitation: secret }} />
    );
    return sendPage(reply, visitor, { title: titleFor(invitation), children });
  });

  app.post<InvitationRoute>("/invite/:secret", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { secret } = request.params;
    const invitation = await invitationOf(hub, { secret, address: request.ip });
    const title = titleFor(invitation);
    return await createAccount({
      visitor,
      reply,
      invitation,
      title,
      action: invitationPath(secret),
      secret,
    });
  });

  app.get<{ Querystring: { readonly next?: string } }>("/register", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    requireOpen(hub);
    const next = redirectPath(request.query.next) ?? home;
    const children = (
      <NewAccount {...{ action: "/register", next, values: emptyValues, providers }} />
    );
    return sendPage(reply, visitor, { title: "Create an account", children });
  });

  app.post("/register", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    requireOpen(hub);
    return await createAccount({ visitor, reply, title: "Create an account", action: "/register" });
  });

  async function createAccount({
    visitor,
    reply,
    title,
    action,
    invitation,
    secret,
  }: {
    readonly visitor: Visitor;
    readonly reply: Parameters<typeof sendPage>[0];
    readonly title: string;
    readonly action: string;
    readonly invitation?: Invitation | undefined;
    readonly secret?: string;
  }): Promise<unknown> {
    const values = formFields(visitor.request, "name", "email", "password", "next");
    const { email, password } = values;
    const name = values.name.trim();
    const next = redirectPath(values.next) ?? home;
    try {
      const { ip: address } = visitor.request;
      if (invitation === undefined) await countAttempt(hub, { kind: "registration", address });
      const id = await createUser(hub, { name, email, password, invitation });
      await signIn(hub, { visitor, reply, user: { id }, waitsForCode: false });
      return await reply.redirect(afterSignUp(hub, next), 303);
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = (
        <NewAccount {...{ action, next, values, problem, providers, invitation: secret }} />
      );
      return sendPage(reply, visitor, { title, status, children });
    }
  }
}

/** The open invitation of a link; counts guesses. Throws if it is over or the hub is closed. */
export async function invitationOf(
  hub: Hub,
  { secret, address }: { readonly secret: string; readonly address: string },
): Promise<Invitation> {
  const recordSuccess = await countAttempt(hub, { kind: "invitation", address });
  const invitation = await openInvitation(hub.database, { secret, now: hub.clock() });
  if (invitation === undefined)
    throw new HubError("invitation-over", {
      message:
        "This invitation was used or revoked, or it has expired. Ask for another invitation.",
    });
  await recordSuccess();
  if (hub.settings.HUB_REGISTRATION === "closed" && invitation.invited_by !== null)
    throw forbidden("This hub does not accept new accounts. Ask an administrator of the hub.");
  return invitation;
}

function requireOpen({ settings }: Hub): void {
  if (settings.HUB_REGISTRATION === "open") return;
  throw forbidden(
    "This hub requires an invitation to create an account. Ask an administrator of the hub for one.",
  );
}

function titleFor({ invited_by, is_admin }: Invitation): string {
  if (invited_by === null) return "Create the first account";
  return is_admin ? "Create an administrator account" : "Create your account";
}
