import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import * as z from "zod";

import type { ServedEnvironment } from "../context.ts";
import { errorResponses } from "../http/openapi.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { gymRoutes } from "./gym-routes.ts";
import { aggregateMetrics } from "./metrics.ts";
import { NemoSessions, sessionCookie, sessionIdInCookie } from "./nemo-sessions.ts";
import { metrics, verifyResults } from "./schemas.ts";
import { toolRoutes } from "./tool-routes.ts";

/** NeMo Gym's resources server, for one environment, in both of its styles. */
export function nemoRoutes(
  instance: FastifyInstance,
  environment: ServedEnvironment,
  sessions: Sessions,
): void {
  const nemoSessions = new NemoSessions(environment, sessions);
  // Agents send only the cookie of the last response, so every response must set it.
  instance.addHook("onSend", async (request, reply) => {
    const id = sessionIdInCookie(request.headers.cookie);
    if (id !== undefined && !reply.hasHeader("set-cookie"))
      reply.header("set-cookie", sessionCookie(id));
  });
  toolRoutes(instance, environment.tools, nemoSessions);
  gymRoutes(instance, environment.tools, nemoSessions);
  const app = instance.withTypeProvider<ZodTypeProvider>();

  app.post(
    "/aggregate_metrics",
    { schema: { body: verifyResults, response: { 200: metrics, ...errorResponses } } },
    ({ body }) => aggregateMetrics(Array.isArray(body) ? body : body.verify_responses),
  );

  // Scoring needs the state of the episode, which a stored rollout does not contain.
  app.get(
    "/reverify_mode",
    { schema: { response: { 200: z.string() } } },
    async (_request, reply) => {
      await reply.type("application/json").send(JSON.stringify("unsupported"));
    },
  );
}
