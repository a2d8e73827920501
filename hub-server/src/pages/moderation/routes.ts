import type { FastifyInstance } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import { appealPage } from "./appeal.tsx";
import { decisionsPage } from "./decisions.tsx";
import { queuePages } from "./queue.tsx";
import { quotaPage } from "./quotas.tsx";
import { reportPage } from "./report.tsx";
import { targetPage } from "./target.tsx";

/** Registers the pages of reports, of the moderators' decisions, and of appeals. */
export function moderationPages(app: FastifyInstance, hub: Hub): void {
  reportPage(app, hub);
  decisionsPage(app, hub);
  appealPage(app, hub);
  queuePages(app, hub);
  targetPage(app, hub);
  quotaPage(app, hub);
}
