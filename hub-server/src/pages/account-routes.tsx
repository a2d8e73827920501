import type { FastifyInstance } from "fastify";

import { createUser } from "../identity/accounts/create-user.ts";
import { invitationPath, openInvitation } from "../identity/accounts/invitations.ts";
import { countAttempt } from "../identity/credentials/attempts.ts";
import { redirectPath } from "../identity/sessions/redirect-path.ts";
import { formVisitor, type Visitor, visitorOf } from "../identity/sessions/visitor.ts";
import type { Row } from "../platform/database/tables.ts";
import { forbidden, HubError } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { fieldsOf, problemOf } from "./fields.ts";
import { sendPage } from "./page.tsx";
import { begin } from "./sign-in-routes.tsx";
import { NewAccount } from "./sign-in.tsx";

type Invitation = Row<"invitations">;
interface Secret {
  Params: { readonly secret: string };
}

const home = "/settings";
const nothing = { name: "", email: "" };

/** Making an account: by an invitation, or where registration is open. */
export function accountRoutes(app: FastifyInstance, hub: Hub): void {
  app.get<Secret>("/invite/:secret", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const { secret } = request.params;
    const invitation = await invitationOf(hub, { secret, address: request.ip });
    const action = invitationPath(secret);
    const children = <NewAccount {...{ visitor, action, next: home, given: nothing }} />;
    return sendPage(reply, visitor, { title: titleFor(invitation), children });
  });

  app.post<Secret>("/invite/:secret", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { secret } = request.params;
    const invitation = await invitationOf(hub, { secret, address: request.ip });
    const title = titleFor(invitation);
    return await make({ visitor, reply, invitation, title, action: invitationPath(secret) });
  });

  app.get<{ Querystring: { readonly next?: string } }>("/register", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    requireOpen(hub);
    const next = redirectPath(request.query.next) ?? home;
    const children = <NewAccount {...{ visitor, action: "/register", next, given: nothing }} />;
    return sendPage(reply, visitor, { title: "Make an account", children });
  });

  app.post("/register", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    requireOpen(hub);
    return await make({ visitor, reply, title: "Make an account", action: "/register" });
  });

  async function make({
    visitor,
    reply,
    title,
    action,
    invitation,
  }: {
    readonly visitor: Visitor;
    readonly reply: Parameters<typeof sendPage>[0];
    readonly title: string;
    readonly action: string;
    readonly invitation?: Invitation;
  }): Promise<unknown> {
    const given = fieldsOf(visitor.request, "name", "email", "password", "next");
    const { email, password } = given;
    const name = given.name.trim();
    const next = redirectPath(given.next) ?? home;
    try {
      const { ip: address } = visitor.request;
      if (invitation === undefined) await countAttempt(hub, { kind: "registration", address });
      const id = await createUser(hub, { name, email, password, invitation });
      await begin(hub, { visitor, reply, user: { id }, waitsForCode: false });
      return await reply.redirect(next, 303);
    } catch (error) {
      const { problem, status } = problemOf(error);
      const children = <NewAccount {...{ visitor, action, next, given, problem }} />;
      return sendPage(reply, visitor, { title, status, children });
    }
  }
}

async function invitationOf(
  hub: Hub,
  { secret, address }: { readonly secret: string; readonly address: string },
): Promise<Invitation> {
  const wasRight = await countAttempt(hub, { kind: "invitation", address });
  const invitation = await openInvitation(hub.database, { secret, now: hub.clock() });
  if (invitation === undefined)
    throw new HubError("invitation-over", {
      message: "This invitation was used, was revoked, or is too old. Ask for another.",
    });
  await wasRight();
  if (hub.settings.HUB_REGISTRATION === "closed" && invitation.invited_by !== null)
    throw forbidden("This hub takes no new accounts. Ask its administrator.");
  return invitation;
}

function requireOpen({ settings }: Hub): void {
  if (settings.HUB_REGISTRATION === "open") return;
  throw forbidden(
    "Accounts are made by invitation here. Ask an administrator of this hub for one.",
  );
}

function titleFor({ invited_by, is_admin }: Invitation): string {
  if (invited_by === null) return "Make the first account";
  return is_admin ? "Become an administrator" : "Make your account";
}
