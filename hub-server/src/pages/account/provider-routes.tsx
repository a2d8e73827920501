import type { FastifyInstance, FastifyReply } from "fastify";

import { countAttempt } from "../../identity/credentials/attempts.ts";
import { addIdentity, userOfIdentity } from "../../identity/credentials/identities.ts";
import { afterSignUp } from "../../identity/credentials/terms.ts";
import { storeNotice } from "../../identity/mail/notice.ts";
import { identityOfVisit } from "../../identity/providers/external-identity.ts";
import { providerOf } from "../../identity/providers/provider-client.ts";
import { openForm, sealForm } from "../../identity/providers/sealed-form.ts";
import {
  registerIdentity,
  storeUnregistered,
  unregisteredOf,
} from "../../identity/providers/unregistered.ts";
import {
  type NewVisit,
  startVisit,
  takeVisit,
  type Visit,
} from "../../identity/providers/visits.ts";
import { requireConfirmed } from "../../identity/second-factor/second-factor.ts";
import { renewSession } from "../../identity/sessions/sessions.ts";
import {
  formVisitor,
  redirectPath,
  type Visitor,
  visitorOf,
} from "../../identity/sessions/visitor.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { originOf } from "../../platform/http/origin.ts";
import { change, type Hub } from "../../platform/hub/hub.ts";
import { ContinueChange, FeedbackText, handleChange } from "../layout/handle-change.tsx";
import { sendPage } from "../layout/page.tsx";
import {
  formFields,
  formProblem,
  requireSession,
  requireSessionForm,
} from "../layout/require-session.ts";
import { invitationOf } from "./account-routes.tsx";
import { signIn } from "./sign-in-routes.tsx";
import { ChooseName } from "./sign-in.tsx";

const home = "/settings";
interface ProviderRoute {
  Params: { readonly provider: string };
  Querystring: { readonly state?: string };
}

/** Registers the routes that sign in, confirm a change and add a way to sign in with GitHub or an OpenID provider. */
export function providerRoutes(app: FastifyInstance, hub: Hub): void {
  app.post<ProviderRoute>("/sign-in/with/:provider", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const { invitation: secret } = formFields(request, "invitation");
    const invitation =
      secret === "" ? undefined : await invitationOf(hub, { secret, address: request.ip });
    const { provider } = request.params;
    return await start(visitor, reply, {
      provider,
      purpose: "sign-in",
      invitationId: invitation?.id,
    });
  });

  app.post<ProviderRoute>("/settings/confirm-with/:provider", async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const userId = visitor.session.user.id;
    const { provider } = request.params;
    const form = await sealForm(visitor, formFields(request, "again").again);
    return await start(visitor, reply, { provider, purpose: "confirm", userId, form });
  });

  app.post<ProviderRoute>("/settings/sign-in/add/:provider", (request, reply) =>
    handleChange(hub, request, reply, {
      page: "/settings/sign-in",
      async work(visitor) {
        requireConfirmed(visitor);
        const userId = visitor.session.user.id;
        const { provider } = request.params;
        return await start(visitor, reply, { provider, purpose: "link", userId });
      },
      show: async (visitor, feedback) =>
        sendPage(reply, visitor, {
          title: "Ways to sign in",
          status: feedback.status,
          children: <FeedbackText {...feedback} />,
        }),
    }),
  );

  app.get<ProviderRoute>("/sign-in/with/:provider/callback", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const { state } = request.query;
    const visit = await takeVisit(hub.database, {
      state: typeof state === "string" ? state : "",
      browserHash: visitor.browserHash,
      provider: request.params.provider,
      now: hub.clock(),
    });
    return await finish(visitor, reply, visit);
  });

  app.get("/sign-in/new-account", async (request, reply) => {
    const visitor = await visitorOf(hub, request, reply);
    const { label, suggested_name, email } = await unregisteredOf(hub, visitor.browserHash);
    const values = { name: suggested_name, email: email ?? "" };
    const children = <ChooseName {...{ label, values }} />;
    return sendPage(reply, visitor, { title: "Choose a name", children });
  });

  app.post("/sign-in/new-account", async (request, reply) => {
    const visitor = await formVisitor(hub, request, reply);
    const unregistered = await unregisteredOf(hub, visitor.browserHash);
    const values = formFields(request, "name", "email");
    try {
      await countAttempt(hub, { kind: "registration", address: request.ip });
      const name = values.name.trim();
      const id = await registerIdentity(hub, unregistered, { name, email: values.email });
      await signIn(hub, { visitor, reply, user: { id }, waitsForCode: false });
      const next = redirectPath(unregistered.next) ?? home;
      return await reply.redirect(afterSignUp(hub, next), 303);
    } catch (error) {
      const { problem, status } = formProblem(error);
      const children = <ChooseName {...{ label: unregistered.label, values, problem }} />;
      return sendPage(reply, visitor, { title: "Choose a name", status, children });
    }
  });

  /** Sends the browser to the provider by a page: the CSP of the form would forbid a redirect to another site. */
  async function start(
    { request, browserHash }: Visitor,
    reply: FastifyReply,
    visit: Pick<NewVisit, "provider" | "purpose" | "userId" | "invitationId" | "form">,
  ): Promise<FastifyReply> {
    const { label } = providerOf(hub, visit.provider);
    const next = redirectPath(formFields(request, "next").next) ?? home;
    const callback = callbackOf(hub, { request }, visit.provider).href;
    const url = await startVisit(hub, { ...visit, browserHash, next, callback });
    void reply.header("refresh", `0; url=${url.href}`);
    return sendPage(reply, undefined, {
      title: `Continue to ${label}`,
      children: (
        <p>
          <a href={url.href}>Continue to {label}</a>
        </p>
      ),
    });
  }

  async function finish(
    visitor: Visitor,
    reply: FastifyReply,
    visit: Visit,
  ): Promise<FastifyReply> {
    const { request, browserHash, session } = visitor;
    const url = callbackOf(hub, visitor, visit.provider);
    url.search = new URL(request.url, url).search;
    const next = redirectPath(visit.next) ?? home;
    if (visit.purpose !== "sign-in" && session?.user.id !== visit.user_id)
      throw new HubError("provider-visit-over", {
        message:
          "You have signed out or in as another user since. Open your settings and start again.",
      });
    const identity = await identityOfVisit(hub, { visit, url });
    if (visit.purpose === "link") {
      const { user } = (await requireSession(hub, request, reply)).session;
      await change(hub, async ({ database, now }) => {
        const userId = user.id;
        await addIdentity(database, { identity, userId, now });
        await storeNotice(database, hub, {
          userId,
          subject: "A way to sign in was added",
          text: `${identity.label} of ${identity.issuer} can be used to sign in.`,
        });
      });
      return reply.redirect("/settings/sign-in?done=added", 303);
    }
    const user = await userOfIdentity(hub, identity);
    if (visit.purpose === "confirm") {
      if (session === undefined || user?.id !== session.user.id)
        throw new HubError("identity-taken", {
          status: 403,
          message: `You confirmed as ${identity.label}, which is not a way to sign in to this account. Confirm with another account.`,
        });
      await renewSession(hub, session);
      const form = visit.form === null ? undefined : await openForm(visitor, visit.form);
      if (form === undefined) return reply.redirect(next, 303);
      const children = <ContinueChange form={form} />;
      return sendPage(reply, visitor, { title: "Confirmed", children });
    }
    if (user === undefined) {
      const invitationId = visit.invitation_id;
      await storeUnregistered(hub, { identity, browserHash, invitationId, next });
      return reply.redirect("/sign-in/new-account", 303);
    }
    await signIn(hub, { visitor, reply, user, waitsForCode: user.hasSecondFactor });
    const step = `/sign-in/code?next=${encodeURIComponent(next)}`;
    return reply.redirect(user.hasSecondFactor ? step : next, 303);
  }
}

function callbackOf(
  { settings }: Hub,
  { request }: Pick<Visitor, "request">,
  provider: string,
): URL {
  return new URL(`/sign-in/with/${provider}/callback`, originOf(settings, request));
}
