import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

import { diskFull, errorBody } from "../platform/errors/hub-error.ts";
import { checkServices, problemOf } from "../platform/hub/health.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { countMails } from "../platform/mail/outbox.ts";

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

/** Measures every request by route and serves the metrics to Prometheus at `/metrics`. */
function metricsOf(app: FastifyInstance, hub: Pick<Hub, "damagedBlobs" | "database">): void {
  const register = new Registry();
  collectDefaultMetrics({ register });
  register.registerMetric(
    new Gauge({
      name: "hub_damaged_blobs",
      help: "Requests since the start that found a corrupt or missing tarball; alert if it is not 0",
      labelNames: ["damage"],
      registers: [],
      collect() {
        for (const [damage, count] of Object.entries(hub.damagedBlobs))
          this.labels(damage).set(count);
      },
    }),
  );
  register.registerMetric(
    new Gauge({
      name: "hub_mails",
      help: "Mails that wait to be sent, and mails of the last 30 days that the hub gave up; alert if they grow",
      labelNames: ["state"],
      registers: [],
      async collect() {
        for (const [state, count] of Object.entries(await countMails(hub.database)))
          this.labels(state).set(count);
      },
    }),
  );
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from a request's first byte to the end of its response",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [register],
  });
  app.addHook("onResponse", (request, reply, done) => {
    // The route pattern, not the path: a label for every package would exhaust the memory.
    const route = request.routeOptions.url ?? "none";
    durations
      .labels(request.method, route, String(reply.statusCode))
      .observe(reply.elapsedTime / 1000);
    done();
  });
  app.get("/metrics", { logLevel: "warn" }, async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
}
