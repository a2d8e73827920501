import type { FastifyInstance, FastifyRequest } from "fastify";

import { identify } from "../../identity/request/identity.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { parseCompressedJson } from "../../platform/http/compressed-body.ts";
import { originOf } from "../../platform/http/origin.ts";
import { readBody } from "../../platform/http/read-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { audit, type Finding } from "./audit.ts";
import { bulkRequest, bulkResponse } from "./bulk-audit.ts";
import {
  type InstalledPackage,
  installedPackages,
  treeRequest,
  treeResponse,
} from "./tree-audit.ts";

const maxBytes = 10 * 2 ** 20;
const maxPackages = 10_000;
const maxInstalled = 50_000;
const base = "/-/npm/v1/security";

/** `npm audit`, in its current protocol and in the older one of Yarn 1. The response omits packages that the hub lacks. */
export async function auditRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  const { database, settings } = hub;
  const findings = async (
    request: FastifyRequest,
    versions: ReadonlyMap<string, Iterable<string>>,
  ): Promise<readonly Finding[]> => {
    if (versions.size > maxPackages)
      throw auditTooLarge(`has more packages (${versions.size})`, maxPackages);
    return await audit(database, { identity: await identify(hub, request), versions });
  };

  await app.register(async (scope) => {
    parseCompressedJson(scope, maxBytes);

    scope.post(`${base}/advisories/bulk`, async (request) => {
      const versions = new Map(Object.entries(readBody(request, bulkRequest)));
      return bulkResponse(await findings(request, versions), originOf(settings, request));
    });

    for (const path of [`${base}/audits`, `${base}/audits/quick`])
      scope.post(path, async (request) => {
        const installed = collect(installedPackages(readBody(request, treeRequest)));
        const versions = new Map<string, Set<string>>();
        for (const { name, version } of installed)
          versions.set(name, (versions.get(name) ?? new Set()).add(version));
        return treeResponse(await findings(request, versions), {
          installed,
          origin: originOf(settings, request),
        });
      });
  });
}

function collect(packages: Iterable<InstalledPackage>): readonly InstalledPackage[] {
  const installed: InstalledPackage[] = [];
  for (const package_ of packages)
    if (installed.push(package_) > maxInstalled)
      throw auditTooLarge("has more installed packages", maxInstalled);
  return installed;
}

function auditTooLarge(size: string, limit: number): HubError {
  return new HubError("audit-too-large", {
    message: `The audit ${size} than the limit of ${limit}. Audit the parts of the workspace one at a time.`,
  });
}
