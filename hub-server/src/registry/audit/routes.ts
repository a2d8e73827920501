import type { FastifyInstance } from "fastify";

import { identify } from "../../identity/request/identity.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { parseCompressedJson } from "../../platform/http/compressed-body.ts";
import { readBody } from "../../platform/http/json-body.ts";
import { originOf } from "../../platform/http/origin.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { audit, auditRequest, auditResponse } from "./audit.ts";

const maxBytes = 10 * 2 ** 20;
const maxPackages = 10_000;

/** `npm audit`, `pnpm audit` and `yarn npm audit`. The response omits packages that the hub lacks. */
export async function auditRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  await app.register(async (scope) => {
    parseCompressedJson(scope, maxBytes);

    scope.post("/-/npm/v1/security/advisories/bulk", async (request) => {
      const versions = new Map(Object.entries(readBody(request, auditRequest)));
      if (versions.size > maxPackages)
        throw new HubError("audit-too-large", {
          message: `The audit has more packages (${versions.size}) than the limit of ${maxPackages}. Audit the parts of the workspace one at a time.`,
        });
      const identity = await identify(hub, request);
      const advisories = await audit(hub.database, { identity, versions });
      return auditResponse(advisories, originOf(hub.settings, request));
    });
  });
}
