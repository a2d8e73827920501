import * as z from "zod";

import type { Routes } from "./route.ts";
import { runId } from "./run-fields.ts";

const evidence = z.object({
  rollouts: z.int().describe("Rollouts whose scores were compared"),
  failed: z.int().describe("Failed rollouts, which have no scores"),
  tolerance: z.number().describe("Relative to the larger number if that exceeds 1"),
  bundle: z.string().describe("SHA-256 of the bundle that computed the scores"),
  core: z.string().describe("The version of the core in the bundle"),
  engine: z.string(),
  milliseconds: z.int(),
});

const firstDifference = z.object({
  exampleKey: z.string(),
  exampleIndex: z.int(),
  rolloutIndex: z.int(),
  field: z.string().describe("reward, scores.<name>, stopReason, conversation, or replay"),
  recorded: z.unknown(),
  replayed: z.unknown(),
});

/** The first part of a run that its replay did not reproduce. */
export type FirstDifference = z.output<typeof firstDifference>;

const rescoring = z
  .discriminatedUnion("outcome", [
    z.object({
      outcome: z.literal("waiting"),
      reason: z.string().optional().describe("Why it waits longer than usual"),
    }),
    z.object({ outcome: z.literal("rescored"), evidence }),
    z.object({
      outcome: z.literal("different"),
      evidence,
      different: z.int().describe("Rollouts with a difference"),
      first: firstDifference,
    }),
    z.object({ outcome: z.literal("impossible"), reason: z.string() }),
  ])
  .meta({ id: "Rescoring" });

/** The result of replaying a run's rollouts through the published bundle. */
export type Rescoring = z.output<typeof rescoring>;

export const rescoringRoutes = {
  readRescoring: {
    method: "GET",
    path: "/api/v1/runs/{run}/rescoring",
    group: "Runs",
    summary: "Read whether the hub reproduced the scores of an evaluation",
    for: "anyone",
    params: z.strictObject({ run: runId }),
    response: rescoring,
  },
} as const satisfies Routes;
