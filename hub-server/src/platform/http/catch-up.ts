import type { FastifyInstance } from "fastify";

import type { DatabaseConnection } from "../database/connect.ts";

/** Routes that report on this process. They must respond while the database is unreachable. */
const processRoutes: ReadonlySet<string | undefined> = new Set(["/healthz", "/metrics", "/-/ping"]);

/**
 * Makes a replica drop the cached responses that other replicas have invalidated before it handles a request. Otherwise, a
 * client that has published to one replica could read an old packument from another.
 */
export function catchUpBeforeRequests(
  app: FastifyInstance,
  connection: Pick<DatabaseConnection, "kind" | "catchUp">,
): void {
  if (connection.kind === "embedded") return;
  app.addHook("onRequest", async ({ routeOptions }) => {
    if (!processRoutes.has(routeOptions.url)) await connection.catchUp();
  });
}
