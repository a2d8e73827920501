import type { FastifyInstance } from "fastify";
import type { ReactNode } from "react";

import { endSession, sessionsOf } from "../identity/sessions/sessions.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { fieldsOf } from "./fields.ts";
import { Form } from "./form.tsx";
import { Moment } from "./moment.tsx";
import { type Done, sendSettings } from "./settings.tsx";
import { type SignedIn, signedIn, signedInForm } from "./signed-in.ts";

const at = "/settings/sessions";
const notices: Readonly<Record<string, string>> = { ended: "The session has ended." };

/** The browsers in which a user is signed in. */
export function sessionSettings(app: FastifyInstance, hub: Hub): void {
  app.get<Done>(at, async (request, reply) => {
    const visitor = await signedIn(hub, request, reply);
    const sessions = await sessionsOf(hub, visitor.session.user.id);
    const notice = notices[request.query.done ?? ""];
    const children = <Sessions {...{ visitor, sessions }} />;
    return sendSettings(reply, visitor, { at, notice, children });
  });

  app.post("/settings/sessions/end", async (request, reply) => {
    const visitor = await signedInForm(hub, request, reply);
    const { session: idHash } = fieldsOf(request, "session");
    await endSession(hub.database, { userId: visitor.session.user.id, idHash });
    return reply.redirect(`${at}?done=ended`, 303);
  });
}

function Sessions({
  visitor,
  sessions,
}: {
  readonly visitor: SignedIn;
  readonly sessions: Awaited<ReturnType<typeof sessionsOf>>;
}): ReactNode {
  return (
    <>
      <p className="quiet">
        Browsers in which you are signed in. One that you do not know: end it, and change your
        password.
      </p>
      <ul className="list">
        {sessions.map(({ id_hash, client, address, created_at, last_used_at }) => (
          <li key={id_hash}>
            <div className="what">
              <strong>{client}</strong>
              <span className="quiet small">
                From {address}. Signed in <Moment at={created_at} />, last seen{" "}
                <Moment at={last_used_at} />.
              </span>
            </div>
            {id_hash === visitor.session.idHash ? (
              <span className="quiet">This browser</span>
            ) : (
              <Form action="/settings/sessions/end" visitor={visitor}>
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
