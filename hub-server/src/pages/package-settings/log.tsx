import type { FastifyInstance } from "fastify";

import { readLog } from "../../events/read-log.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { beforeOf, EventLog } from "../layout/event-log.tsx";
import { packagePath } from "../package/package-view.ts";
import { managedPackage, packageSection, sendPackageSettings } from "./package-settings.tsx";

const section = "/settings/log";

/** Registers the page with every change of a package, and whether an administrator or a moderator of the hub made it. */
export function packageLog(app: FastifyInstance, hub: Hub): void {
  packageSection(app, hub, {
    section,
    notices: {},
    async show(visitor, reply, { name, ...feedback }) {
      const { isAdmin } = await managedPackage(hub, visitor, name);
      const log = await readLog(hub.database, { package: name }, beforeOf(visitor.request));
      const children = (
        <>
          <p className="quiet">
            Administrators of this hub may read and change every package; moderators may quarantine
            it or take it down. Each of their changes is in this log. As JSON:{" "}
            <a href={`/-/events?package=${encodeURIComponent(name)}`}>/-/events</a>
          </p>
          <EventLog path={`${packagePath(name)}${section}`} log={log} />
        </>
      );
      return sendPackageSettings(reply, visitor, { name, isAdmin, section, children, ...feedback });
    },
  });
}
