import type { FastifyInstance } from "fastify";

import type { ServeContext } from "../context.ts";

/** The Open Reward Standard. */
export function orsRoutes(app: FastifyInstance, { environments }: ServeContext): void {
  app.get("/list_environments", () => [...environments.keys()]);
}
