import type { FastifyInstance } from "fastify";

import { diskFull } from "../platform/errors/disk-full.ts";
import { errorBody } from "../platform/errors/hub-error.ts";
import { checkServices, problemOf } from "../platform/hub/health.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { metricsOf } from "./metrics.ts";

/** The routes for operators: liveness, readiness and metrics. */
export function operationRoutes(app: FastifyInstance, hub: Hub): void {
  const state = { isEnding: false };
  app.addHook("preClose", () => {
    state.isEnding = true;
  });
  app.get("/healthz", { logLevel: "warn" }, () => ({ status: "ok" }));
  app.get("/readyz", { logLevel: "warn" }, async (request, reply) => {
    const problem = state.isEnding
      ? "The hub is shutting down."
      : problemOf(await checkServices(hub));
    if (problem === undefined) {
      // Not 503: a proxy would then stop reads too, which do not need space.
      if (await hub.space.isLow())
        return { status: "read-only", ...errorBody("disk-full", diskFull().message) };
      return { status: "ready" };
    }
    request.log.warn({ problem }, "the hub is not ready");
    return reply.code(503).header("retry-after", "5").send(errorBody("not-ready", problem));
  });
  if (hub.settings.HUB_METRICS) metricsOf(app, hub);
}
