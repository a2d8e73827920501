import type { FastifyInstance } from "fastify";

import type { ServeContext } from "../context.ts";
import { Calls } from "./calls.ts";
import { createRoute } from "./create-route.ts";
import { environmentRoutes } from "./environment-routes.ts";
import { Games } from "./games.ts";
import { sessionRoutes } from "./session-routes.ts";

/** The Open Reward Standard: sessions over HTTP, calls of tools as streams of events. */
export function orsRoutes(app: FastifyInstance, context: ServeContext): void {
  const games = new Games(context.sessions);
  const calls = new Calls();
  createRoute(app, context, games);
  void app.register(async (scope) => sessionRoutes(scope, games));
  for (const [name, served] of context.environments)
    void app.register(async (scope) => environmentRoutes(scope, served, { games, calls }), {
      prefix: `/${name}`,
    });
}
