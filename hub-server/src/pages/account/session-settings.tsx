import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { endSession, sessionsOf } from "../../identity/sessions/sessions.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { DateTime, Entry } from "../layout/elements.tsx";
import { Form } from "../layout/form.tsx";
import type { DoneQuery } from "../layout/handle-change.tsx";
import {
  formFields,
  requireSession,
  requireSessionForm,
  type SignedInVisitor,
} from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/sessions";
const notices: Readonly<Record<string, string>> = { ended: "Session ended." };

/** Registers the page that lists and ends the sessions of a user. */
export function sessionSettings(app: FastifyInstance, hub: Hub): void {
  app.get<DoneQuery>(section, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const sessions = await sessionsOf(hub, visitor.session.user.id);
    const notice = notices[request.query.done ?? ""];
    const children = <Sessions {...{ visitor, sessions }} />;
    return sendSettings(reply, visitor, { section, notice, children });
  });

  app.post("/settings/sessions/end", async (request, reply) => {
    const visitor = await requireSessionForm(hub, request, reply);
    const { session: idHash } = formFields(request, "session");
    await endSession(hub.database, { userId: visitor.session.user.id, idHash });
    return reply.redirect(`${section}?done=ended`, 303);
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
