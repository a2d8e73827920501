import { routes } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { requireRun } from "../evaluations/runs/read-runs.ts";
import { identify, requireWriter } from "../identity/request/identity.ts";
import { apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { superviseQueue } from "../rescoring/supervisor.ts";
import { runPlay } from "./play-run.ts";
import { readPlay, requestPlay } from "./plays.ts";

/** Registers the routes that request and read the hub's plays. */
export function playRoutes(app: FastifyInstance, hub: Hub): void {
  apiRoute(app, routes.requestPlay, async ({ params, request }) =>
    requestPlay(hub, await requireWriter(hub, request), params.run),
  );

  apiRoute(app, routes.readPlay, async ({ params, request }) => {
    const identity = await identify(hub, request);
    return await readPlay(hub, await requireRun(hub.database, identity, params.run), identity);
  });
}

/** Plays queued runs while the hub runs, with its own workers, so that replays do not wait for plays. */
export function supervisePlays(app: FastifyInstance, hub: Hub): void {
  const { HUB_PLAY_SECONDS: seconds, HUB_PLAY_WORKERS: workers } = hub.settings;
  if (seconds === 0) return;
  const limits = { total: seconds * 1000, group: Math.min(30, seconds / 2) * 1000 };
  superviseQueue(app, hub, {
    queue: "play",
    workers,
    leaseMs: limits.total + 120_000,
    budgetMs: hub.settings.HUB_PLAY_OWNER_SECONDS * 1000,
    run: (job, signal) => runPlay(hub, job, { ...limits, signal }),
  });
}
