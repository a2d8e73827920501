import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { acceptTerms, hasAcceptedTerms } from "../../identity/credentials/terms.ts";
import { redirectPath } from "../../identity/sessions/visitor.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { CardForm } from "../layout/form.tsx";
import { sendPage } from "../layout/page.tsx";
import { formFields, requireSession, requireSessionForm } from "../layout/require-session.ts";

const home = "/settings";

/** Registers the page on which users accept the hub's terms, if it has any. */
export function termsRoutes(app: FastifyInstance, hub: Hub): void {
  const terms = hub.settings.HUB_TERMS;
  if (terms === undefined) return;

  app.get<{ Querystring: { readonly next?: string } }>("/terms", async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const next = redirectPath(request.query.next) ?? home;
    const isAccepted = await hasAcceptedTerms(hub, visitor.session.user.id);
    const children = <Terms {...{ terms, next, isAccepted }} />;
    return sendPage(reply, visitor, { title: "Terms", children });
  });

  app.post("/terms", async (request, reply) => {
    const { session } = await requireSessionForm(hub, request, reply, "/terms");
    await acceptTerms(hub, session.user);
    return reply.redirect(redirectPath(formFields(request, "next").next) ?? home, 303);
  });
}

function Terms({
  terms: { version, url },
  next,
  isAccepted,
}: {
  readonly terms: NonNullable<Settings["HUB_TERMS"]>;
  readonly next: string;
  readonly isAccepted: boolean;
}): ReactNode {
  return (
    <>
      <p>
        <a href={url}>Read the terms of this hub</a> (version {version}).
      </p>
      {isAccepted ? (
        <p>You have accepted them.</p>
      ) : (
        <CardForm action="/terms">
          <input type="hidden" name="next" value={next} />
          <p className="hint">
            Until you accept them, you cannot publish, push runs or change packages. Reading,
            installing and deleting your account remain possible.
          </p>
          <button>Accept the terms</button>
        </CardForm>
      )}
    </>
  );
}
