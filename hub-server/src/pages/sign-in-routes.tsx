import type { FastifyInstance, FastifyReply } from "fastify";

import { isCode } from "../identity/credentials/code.ts";
import { type PasswordLogin, logIn } from "../identity/credentials/log-in.ts";
import { newSecret } from "../identity/credentials/secret.ts";
import { redirectPath } from "../identity/sessions/redirect-path.ts";
import { beginSession, endSession } from "../identity/sessions/sessions.ts";
import { formVisitor, setCookie, type Visitor, visitorOf } from "../identity/sessions/visitor.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import { clientName } from "../platform/http/client-name.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { fieldsOf, problemOf } from "./fields.ts";
import { sendPage } from "./page.tsx";
import { SecondStep, SignIn } from "./sign-in.tsx";

const home = "/settings";
interface Next {
  Querystring: { readonly next?: string };
}

/** Signing in, in one step or two, and out. */
export function signInRoutes(app: FastifyInstance, hub: Hub): void {
  const isOpen = hub.settings.HUB_REGISTRATION === "open";

  app.get<Next>("/sign-in", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const next = redirectPath(request.query.next) ?? home;
    if (visitor.session?.waitsForCode === false) return reply.redirect(next, 303);
    const children = <SignIn visitor={visitor} next={next} isOpen={isOpen} />;
    return sendPage(reply, visitor, { title: "Sign in", children });
  });

  app.post("/sign-in", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { name, password, next: wanted } = fieldsOf(request, "name", "password", "next");
    const next = redirectPath(wanted) ?? home;
    try {
      const user = await logIn(hub, { name: plain(name), password, address: request.ip });
      await begin(hub, { visitor, reply, user, waitsForCode: user.hasSecondFactor });
      const step = `/sign-in/code?next=${encodeURIComponent(next)}`;
      return await reply.redirect(user.hasSecondFactor ? step : next, 303);
    } catch (error) {
      const { problem, status } = problemOf(error);
      const said = { visitor, next, problem, name, isOpen };
      return sendPage(reply, visitor, { title: "Sign in", status, children: <SignIn {...said} /> });
    }
  });

  app.get<Next>("/sign-in/code", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const next = redirectPath(request.query.next) ?? home;
    if (visitor.session?.waitsForCode !== true) return reply.redirect(next, 303);
    const children = <SecondStep visitor={visitor} next={next} />;
    return sendPage(reply, visitor, { title: "Second factor", children });
  });

  app.post("/sign-in/code", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { code, next: wanted } = fieldsOf(request, "code", "next");
    const next = redirectPath(wanted) ?? home;
    const { session } = visitor;
    if (session?.waitsForCode !== true) return reply.redirect(next, 303);
    const { user } = session;
    try {
      if (!(await isCode(hub, { userId: user.id, code, address: request.ip }))) throw wrongCode();
      await begin(hub, { visitor, reply, user, waitsForCode: false });
      return await reply.redirect(next, 303);
    } catch (error) {
      const { problem, status } = problemOf(error);
      const children = <SecondStep visitor={visitor} next={next} problem={problem} />;
      return sendPage(reply, visitor, { title: "Second factor", status, children });
    }
  });

  app.post("/sign-out", async (request, reply) => {
    const { session } = await formVisitor(hub, request, reply);
    if (session !== undefined) {
      const { idHash, user } = session;
      await endSession(hub.database, { userId: user.id, idHash });
    }
    setCookie(hub, { request, reply, secret: newSecret() });
    return reply.redirect("/sign-in", 303);
  });
}

/** Begins the session of somebody who has proven who they are, under a new secret. */
export async function begin(
  hub: Hub,
  {
    visitor: { request, session },
    reply,
    user,
    waitsForCode,
  }: {
    readonly visitor: Visitor;
    readonly reply: FastifyReply;
    readonly user: Pick<PasswordLogin, "id">;
    readonly waitsForCode: boolean;
  },
): Promise<void> {
  const from = { client: clientName(request), address: request.ip };
  const secret = await beginSession(hub, { userId: user.id, waitsForCode, ...from }, session);
  setCookie(hub, { request, reply, secret, isSession: true });
}

/** The error for a code that is wrong, used, or too old. */
export function wrongCode(): HubError {
  return new HubError("wrong-code", {
    status: 401,
    message: "This code is wrong, was used, or is too old. Give the one that your app shows now.",
  });
}

/** Telephones begin a name with a capital. */
function plain(name: string): string {
  return name.trim().toLowerCase();
}
