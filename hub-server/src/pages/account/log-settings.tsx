import type { FastifyInstance } from "fastify";

import { readLog } from "../../events/read-log.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { beforeOf, EventLog } from "../layout/event-log.tsx";
import { requireSession } from "../layout/require-session.ts";
import { sendSettings } from "./settings.tsx";

const section = "/settings/log";

/** Registers the page with the changes of the visitor's account that administrators and moderators of the hub made. */
export function logSettings(app: FastifyInstance, hub: Hub): void {
  app.get(section, async (request, reply) => {
    const visitor = await requireSession(hub, request, reply);
    const { name } = visitor.session.user;
    const log = await readLog(hub.database, { account: name }, beforeOf(request));
    const children = (
      <>
        <p className="quiet">
          Administrators of this hub may close your account, change its rights and remove its second
          factor; moderators may suspend it. Each of their changes is in this log. Each package has
          its own log in its settings.
        </p>
        <EventLog path={section} log={log} />
      </>
    );
    return sendSettings(reply, visitor, { section, children });
  });
}
