import type { FastifyInstance, FastifyRequest } from "fastify";

import { identify } from "../../identity/request/identity.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { parseCompressedJson } from "../../platform/http/compressed-body.ts";
import { originOf } from "../../platform/http/origin.ts";
import { readBody } from "../../platform/http/read-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { audit, type Finding } from "./audit.ts";
import { bulkAnswer, bulkRequest } from "./bulk.ts";
import { treeAnswer } from "./tree-answer.ts";
import { type Installed, installedIn, treeRequest } from "./tree.ts";

const maxBytes = 10 * 2 ** 20;
const maxPackages = 10_000;
const maxInstalled = 50_000;
const base = "/-/npm/v1/security";

/** What `npm audit` asks, in its form of today and in that of Yarn 1. A package that the hub does not have is safe as far as it knows. */
export async function auditRoutes(app: FastifyInstance, hub: Hub): Promise<void> {
  const { database, settings } = hub;
  const findings = async (
    request: FastifyRequest,
    versions: ReadonlyMap<string, Iterable<string>>,
  ): Promise<readonly Finding[]> => {
    if (versions.size > maxPackages) throw tooMany(`${versions.size} packages`, maxPackages);
    return await audit(database, { identity: await identify(hub, request), versions });
  };

  await app.register(async (scope) => {
    parseCompressedJson(scope, maxBytes);

    scope.post(`${base}/advisories/bulk`, async (request) => {
      const versions = new Map(Object.entries(readBody(request, bulkRequest)));
      return bulkAnswer(await findings(request, versions), originOf(settings, request));
    });

    for (const path of [`${base}/audits`, `${base}/audits/quick`])
      scope.post(path, async (request) => {
        const installed = fewEnough(installedIn(readBody(request, treeRequest)));
        const versions = new Map<string, Set<string>>();
        for (const { name, version } of installed)
          versions.set(name, (versions.get(name) ?? new Set()).add(version));
        const found = await findings(request, versions);
        return treeAnswer(found, { installed, origin: originOf(settings, request) });
      });
  });
}

function fewEnough(tree: Iterable<Installed>): readonly Installed[] {
  const installed: Installed[] = [];
  for (const each of tree)
    if (installed.push(each) > maxInstalled)
      throw tooMany(`more than ${maxInstalled} installed packages`, maxInstalled);
  return installed;
}

function tooMany(what: string, most: number): HubError {
  return new HubError("audit-too-large", {
    message: `The audit is of ${what}; this hub takes ${most} at once. Audit the parts of the workspace one by one.`,
  });
}
