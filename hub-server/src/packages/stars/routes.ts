import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { requirePackage } from "../../access/permissions/require-package.ts";
import { identify, requireIdentity, requireWriter } from "../../identity/request/identity.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import { readBody } from "../../platform/http/read-body.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { setStar, starredBy } from "./star.ts";

const starred = z.object({ package: z.string() });

/** What pnpm asks of stars, in its newer and its older way, and how npm lists them; npm stars by a document. */
export function starRoutes(app: FastifyInstance, hub: Hub): void {
  for (const method of ["PUT", "DELETE"] as const) {
    const isStarred = method === "PUT";
    app.route({
      method,
      url: "/-/user/v1/star",
      handler: (request) =>
        star(hub, request, { name: readBody(request, starred).package, isStarred }),
    });
    packageRoute(app, {
      method,
      before: "/-/user/package/",
      after: "/star",
      handler: (name, request) => star(hub, request, { name, isStarred }),
    });
  }
  app.get("/-/user/v1/star", async (request) => {
    const identity = await requireIdentity(hub, request);
    return await starredBy(hub.database, { user: identity.name, identity });
  });
  app.get("/-/user/:user/stars", async (request) => {
    const { user } = request.params as { readonly user: string };
    return await starredBy(hub.database, { user, identity: await identify(hub, request) });
  });
  app.get("/-/_view/starredByUser", async (request) => {
    const user = quoted((request.query as { readonly key?: unknown }).key);
    const names = await starredBy(hub.database, { user, identity: await identify(hub, request) });
    return { rows: names.map((value) => ({ value })) };
  });
}

/** Whoever may read a package may star it. */
async function star(
  hub: Hub,
  request: FastifyRequest,
  { name, isStarred }: { readonly name: string; readonly isStarred: boolean },
): Promise<{ readonly ok: true }> {
  const identity = await requireWriter(hub, request);
  const found = await requirePackage(hub.database, { identity, name, permission: "read" });
  await setStar(hub, { userId: identity.userId, found, isStarred });
  return { ok: true };
}

/** npm writes the name as CouchDB's views take it: in quotation marks. */
function quoted(key: unknown): string {
  return typeof key === "string" ? key.replace(/^"(.*)"$/, "$1") : "";
}
