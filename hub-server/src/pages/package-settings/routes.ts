import type { FastifyInstance } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import { advisorySettings } from "./advisory-routes.tsx";
import { generalSettings } from "./general-routes.tsx";
import { packageLog } from "./log.tsx";
import { peopleSettings } from "./people-routes.tsx";
import { trustedPublisherSettings } from "./trusted-publisher-routes.tsx";
import { versionSettings } from "./version-routes.tsx";

/** Registers the settings of packages. */
export function packageSettings(app: FastifyInstance, hub: Hub): void {
  generalSettings(app, hub);
  versionSettings(app, hub);
  peopleSettings(app, hub);
  trustedPublisherSettings(app, hub);
  advisorySettings(app, hub);
  packageLog(app, hub);
}
