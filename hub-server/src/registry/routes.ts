import type { FastifyInstance } from "fastify";

import { HubError } from "../platform/errors/hub-error.ts";
import { packageRoute } from "../platform/http/package-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { downloadCounts } from "./downloads/count.ts";
import { packumentRoutes } from "./packuments/packuments.ts";
import { tarballRoutes } from "./tarballs/tarballs.ts";

/** Routes that read packages, in the protocol of npm. */
export function registryRoutes(app: FastifyInstance, hub: Hub): void {
  packumentRoutes(app, hub);
  tarballRoutes(app, hub, downloadCounts(app, hub));
  only(app, "", ["GET", "HEAD", "PUT"]);
  only(app, "/:version", ["GET", "HEAD"]);
  only(app, "/-/:file", ["GET", "HEAD"]);
}

/** Refuses whatever else may be asked of an address. */
function only(app: FastifyInstance, after: string, allowed: readonly string[]): void {
  packageRoute(app, {
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    after,
    handler(name, request, reply) {
      if (name === "-") return reply.callNotFound();
      throw new HubError("method-not-allowed", {
        message: `${request.method} does nothing here. What does: ${allowed.join(", ")}.`,
        headers: { allow: allowed.join(", ") },
      });
    },
  });
}
