import type { FastifyInstance, FastifyRequest } from "fastify";
import * as z from "zod";

import { requirePackage } from "../../access/permissions/require-package.ts";
import { identify, requireIdentity, requireWriter } from "../../identity/request/identity.ts";
import { readBody } from "../../platform/http/json-body.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { listStarred, setStar } from "./star.ts";

const starBody = z.object({ package: z.string() });

/** The routes of pnpm's newer and older versions, and npm's list of stars. npm stars with a package document instead. */
export function starRoutes(app: FastifyInstance, hub: Hub): void {
  for (const method of ["PUT", "DELETE"] as const) {
    const isStarred = method === "PUT";
    app.route({
      method,
      url: "/-/user/v1/star",
      handler: (request) => star(hub, request, readBody(request, starBody).package, isStarred),
    });
    packageRoute(app, `${method} /-/user/package/:package/star`, (name, request) =>
      star(hub, request, name, isStarred),
    );
  }
  app.get("/-/user/v1/star", async (request) => {
    const identity = await requireIdentity(hub, request);
    return await listStarred(hub.database, identity.name, identity);
  });
  app.get("/-/user/:user/stars", async (request) => {
    const { user } = request.params as { readonly user: string };
    return await listStarred(hub.database, user, await identify(hub, request));
  });
  app.get("/-/_view/starredByUser", async (request) => {
    const user = unquote((request.query as { readonly key?: unknown }).key);
    const names = await listStarred(hub.database, user, await identify(hub, request));
    return { rows: names.map((value) => ({ value })) };
  });
}

/** Users may star every package that they may read. */
async function star(
  hub: Hub,
  request: FastifyRequest,
  name: string,
  isStarred: boolean,
): Promise<{ readonly ok: true }> {
  const identity = await requireWriter(hub, request);
  const { id } = await requirePackage(hub.database, { identity, name, permission: "read" });
  await setStar(hub, identity.userId, id, isStarred);
  return { ok: true };
}

/** npm puts the name in quotation marks, as CouchDB's views require. */
function unquote(key: unknown): string {
  return typeof key === "string" ? key.replace(/^"(.*)"$/, "$1") : "";
}
