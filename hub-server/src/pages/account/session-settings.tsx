import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { endSession, sessionsOf } from "../../identity/sessions/sessions.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Entry } from "../layout/elements.tsx";
import { formPage } from "../layout/form-page.ts";
import { Form } from "../layout/form.tsx";
import { formFields, type SignedInVisitor } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/sessions";

/** Registers the page that lists and ends the sessions of a user. */
export function sessionSettings(app: FastifyInstance, hub: Hub): void {
  const addForm = formPage(app, hub, {
    path: section,
    notices: { ended: "Session ended." },
    async show(visitor, reply, feedback) {
      const sessions = await sessionsOf(hub, visitor.session.user.id);
      const children = <Sessions {...{ visitor, sessions }} />;
      return sendSettings(reply, visitor, { section, children, ...feedback });
    },
  });

  addForm("/end", async ({ request, session }) => {
    const { session: idHash } = formFields(request, "session");
    await endSession(hub.database, { userId: session.user.id, idHash });
    return "ended";
  });
}

function Sessions({
  visitor,
  sessions,
}: {
  readonly visitor: SignedInVisitor;
  readonly sessions: Awaited<ReturnType<typeof sessionsOf>>;
}): ReactNode {
  return (
    <>
      <p className="quiet">
        Browsers in which you are signed in. If you do not recognise a session, end it and change
        your password.
      </p>
      <ul className="list">
        {sessions.map(({ id_hash, client, address, created_at, last_used_at }) => (
          <li key={id_hash}>
            <Entry title={client}>
              IP address {address}, signed in on <DateTime date={created_at} />, last active on{" "}
              <DateTime date={last_used_at} />.
            </Entry>
            {id_hash === visitor.session.idHash ? (
              <span className="quiet">This browser</span>
            ) : (
              <Form action="/settings/sessions/end">
                <input type="hidden" name="session" value={id_hash} />
                <button className="danger" aria-label={`End the session of ${client}`}>
                  End
                </button>
              </Form>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
