import * as z from "zod";

import type { Routes } from "./route.ts";
import { runId } from "./run-fields.ts";

const hubPlay = z
  .discriminatedUnion("outcome", [
    z.object({ outcome: z.literal("possible") }),
    z.object({ outcome: z.literal("impossible"), reason: z.string() }),
    z.object({
      outcome: z.literal("waiting"),
      reason: z.string().optional().describe("Why it waits longer than usual"),
    }),
    z.object({ outcome: z.literal("played"), run: runId.describe("The hub's own run") }),
    z.object({
      outcome: z.literal("failed"),
      code: z
        .enum(["refused", "bundle", "model", "failures", "cost", "time", "size", "crash"])
        .describe("What ended the play. It can be requested again"),
      reason: z.string(),
    }),
  ])
  .meta({ id: "HubPlay" });

/** Whether the hub plays the recipe of a run, has played it, or could. */
export type HubPlay = z.output<typeof hubPlay>;

const params = z.strictObject({ run: runId });

export const playRoutes = {
  requestPlay: {
    method: "POST",
    path: "/api/v1/runs/{run}/play",
    group: "Runs",
    summary: "Let the hub play the recipe of an evaluation again, to reproduce it",
    for: "user",
    params,
    response: hubPlay,
  },
  readPlay: {
    method: "GET",
    path: "/api/v1/runs/{run}/play",
    group: "Runs",
    summary: "Read whether the hub plays a run, has played it, or could",
    for: "anyone",
    params,
    response: hubPlay,
  },
} as const satisfies Routes;
