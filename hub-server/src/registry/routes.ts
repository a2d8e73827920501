import type { FastifyInstance } from "fastify";

import { HubError } from "../platform/errors/hub-error.ts";
import { packageRoute } from "../platform/http/package-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { downloadCounts } from "./downloads/count.ts";
import { packumentRoutes } from "./packuments/routes.ts";
import { tarballRoutes } from "./tarballs/routes.ts";

/** Routes that serve packages in npm's protocol. */
export function registryRoutes(app: FastifyInstance, hub: Hub): void {
  packumentRoutes(app, hub);
  tarballRoutes(app, hub, downloadCounts(app, hub));
  allowOnly(app, "", ["GET", "HEAD", "PUT"]);
  allowOnly(app, "/:version", ["GET", "HEAD"]);
  allowOnly(app, "/-/:file", ["GET", "HEAD"]);
}

/** Responds with 405 to the other methods of a route. */
function allowOnly(app: FastifyInstance, after: string, allowed: readonly string[]): void {
  const rejected = app.supportedMethods.filter((method) => !allowed.includes(method));
  packageRoute(app, `${rejected.join(",")} /:package${after}`, (name, request, reply) => {
    if (name === "-") return reply.callNotFound();
    throw new HubError("method-not-allowed", {
      message: `This URL does not support ${request.method}. Use ${allowed.join(", ")}.`,
      headers: { allow: allowed.join(", ") },
    });
  });
}
