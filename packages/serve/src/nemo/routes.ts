import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { Served } from "../context.ts";
import { failures } from "../http-failures.ts";
import type { Sessions } from "../sessions.ts";
import { sessionCookie, setSessionCookie } from "./cookie.ts";
import { gymRoutes } from "./gym-routes.ts";
import { aggregate } from "./metrics.ts";
import { NemoSessions } from "./nemo-sessions.ts";
import { metrics, verifyResults } from "./schemas.ts";
import { toolRoutes } from "./tool-routes.ts";

/** NeMo Gym's resources server, for one environment, in both of its styles. */
export function nemoRoutes(instance: FastifyInstance, served: Served, sessions: Sessions): void {
  const all = new NemoSessions(served, sessions);
  // Agents send back only what the last answer has set, whatever that answer was.
  instance.addHook("onSend", async (request, reply) => {
    const cookie = sessionCookie(request.headers.cookie);
    if (cookie !== undefined && !reply.hasHeader("set-cookie"))
      reply.header("set-cookie", setSessionCookie(cookie));
  });
  toolRoutes(instance, served.tools, all);
  gymRoutes(instance, served.tools, all);
  const app = instance.withTypeProvider<ZodTypeProvider>();

  app.post(
    "/aggregate_metrics",
    { schema: { body: verifyResults, response: { 200: metrics, ...failures } } },
    ({ body }) => aggregate(Array.isArray(body) ? body : body.verify_responses),
  );

  // An episode lives in its session: what was said in a stored rollout cannot be scored without.
  app.get(
    "/reverify_mode",
    { schema: { response: { 200: z.string() } } },
    async (_request, reply) => {
      await reply.type("application/json").send(JSON.stringify("unsupported"));
    },
  );
}
