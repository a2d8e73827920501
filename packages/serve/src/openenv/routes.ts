import type { FastifyInstance } from "fastify";

import type { Served } from "../context.ts";
import type { Sessions } from "../sessions.ts";

/** OpenEnv over HTTP, for one environment: health, metadata, schemas, and steps that stand alone. */
export function openenvRoutes(app: FastifyInstance, served: Served, _sessions: Sessions): void {
  const { name, description } = served.host.card;
  app.get("/health", () => ({ status: "healthy" }));
  app.get("/metadata", () => ({ name, description }));
}
