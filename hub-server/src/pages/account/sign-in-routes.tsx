import type { FastifyInstance, FastifyReply } from "fastify";

import { isCode, wrongCode } from "../../identity/credentials/code.ts";
import { logIn, type PasswordLogin } from "../../identity/credentials/log-in.ts";
import { newSecret } from "../../identity/credentials/secret.ts";
import { requestOptions, userOfPasskey } from "../../identity/passkeys/passkeys.ts";
import { beginSession, endSession } from "../../identity/sessions/sessions.ts";
import {
  formVisitor,
  redirectPath,
  setCookie,
  type Visitor,
  visitorOf,
} from "../../identity/sessions/visitor.ts";
import { clientName } from "../../platform/http/client-name.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sendPage } from "../layout/page.tsx";
import { formFields, formProblem } from "../layout/require-session.ts";
import { CodeStep, SignIn } from "./sign-in.tsx";

const home = "/settings";
interface SignInRoute {
  Querystring: { readonly next?: string };
}

/** Registers the pages for signing in, with one step or two, and for signing out. */
export function signInRoutes(app: FastifyInstance, hub: Hub): void {
  const isOpen = hub.settings.HUB_REGISTRATION === "open";
  const providers = hub.settings.HUB_SIGN_IN_PROVIDERS;
  const canReset = hub.settings.HUB_SMTP_URL !== undefined;

  app.get<SignInRoute>("/sign-in", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const next = redirectPath(request.query.next) ?? home;
    if (visitor.session?.waitsForCode === false) return reply.redirect(next, 303);
    const children = <SignIn {...{ next, isOpen, providers, canReset }} />;
    return sendPage(reply, visitor, { title: "Sign in", children });
  });

  app.post("/sign-in", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { name, password, next: target } = formFields(request, "name", "password", "next");
    const next = redirectPath(target) ?? home;
    try {
      const user = await logIn(hub, { name: normalisedName(name), password, address: request.ip });
      await signIn(hub, { visitor, reply, user, waitsForCode: user.hasSecondFactor });
      const step = `/sign-in/code?next=${encodeURIComponent(next)}`;
      return await reply.redirect(user.hasSecondFactor ? step : next, 303);
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = <SignIn {...{ next, problem, name, isOpen, providers, canReset }} />;
      return sendPage(reply, visitor, { title: "Sign in", status, children });
    }
  });

  app.get<SignInRoute>("/sign-in/code", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const next = redirectPath(request.query.next) ?? home;
    if (visitor.session?.waitsForCode !== true) return reply.redirect(next, 303);
    const children = <CodeStep next={next} />;
    return sendPage(reply, visitor, { title: "Second factor", children });
  });

  app.post("/sign-in/code", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { code, next: target } = formFields(request, "code", "next");
    const next = redirectPath(target) ?? home;
    const { session } = visitor;
    if (session?.waitsForCode !== true) return reply.redirect(next, 303);
    const { user } = session;
    try {
      if (!(await isCode(hub, { userId: user.id, code, address: request.ip }))) throw wrongCode();
      await signIn(hub, { visitor, reply, user, waitsForCode: false });
      return await reply.redirect(next, 303);
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = <CodeStep next={next} problem={problem} />;
      return sendPage(reply, visitor, { title: "Second factor", status, children });
    }
  });

  app.post("/sign-in/passkey-request", async (request, reply) => {
    const { browserHash } = await formVisitor(hub, request, reply);
    return await requestOptions(hub, { browserHash, origin: originOf(hub.settings, request) });
  });

  app.post("/sign-in/passkey", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { credential, next: target } = formFields(request, "credential", "next");
    const next = redirectPath(target) ?? home;
    try {
      const { browserHash } = visitor;
      const origin = originOf(hub.settings, request);
      const id = await userOfPasskey(hub, { browserHash, origin, credential });
      // A passkey is two factors: the device, and a PIN or a fingerprint.
      await signIn(hub, { visitor, reply, user: { id }, waitsForCode: false });
      return await reply.redirect(next, 303);
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = <SignIn {...{ next, problem, isOpen, providers, canReset }} />;
      return sendPage(reply, visitor, { title: "Sign in", status, children });
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

/** Starts a session for an authenticated user, with a new secret in the cookie. */
export async function signIn(
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
  const { ip: address } = request;
  const newSession = { userId: user.id, waitsForCode, client: clientName(request), address };
  const secret = await beginSession(hub, newSession, session);
  setCookie(hub, { request, reply, secret, isSession: true });
}

/** Trims spaces and lower-cases: phone keyboards capitalise the first letter. */
function normalisedName(name: string): string {
  return name.trim().toLowerCase();
}
