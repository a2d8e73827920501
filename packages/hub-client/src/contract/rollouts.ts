import * as z from "zod";

import { integer, type Routes } from "./route.ts";
import { runId } from "./run-fields.ts";

const read = { method: "GET", group: "Runs", for: "anyone" } as const;

const rolloutEntry = z
  .object({
    position: z.int().describe("Identifies the rollout in its run, from 0"),
    phase: z.string().describe("The phase of a training; empty for an evaluation"),
    step: z.int(),
    exampleKey: z.string(),
    exampleIndex: z.int(),
    rolloutIndex: z.int(),
    reward: z.number().nullable().describe("Null if the rollout failed"),
    scores: z.record(z.string(), z.number().nullable()),
    stopReason: z.string().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    isTruncated: z.boolean(),
    isFiltered: z.boolean(),
    turns: z.int(),
    inputTokens: z.int(),
    outputTokens: z.int(),
    isUsageKnown: z.boolean(),
    toolErrors: z.int(),
    cost: z.number().nullable(),
  })
  .meta({ id: "RolloutEntry" });

/** A rollout without its messages. */
export type RolloutEntry = z.output<typeof rolloutEntry>;

const params = z.strictObject({ run: runId });

const metricsRow = z.object({
  phase: z.string(),
  step: z.int(),
  kind: z.enum(["sft", "rl", "eval"]),
  at: z.number().describe("Seconds since the start of the training"),
  values: z.record(z.string(), z.number().nullable()),
});

export const rolloutRoutes = {
  listRollouts: {
    ...read,
    path: "/api/v1/runs/{run}/rollouts",
    summary: "List a run's rollouts without their messages",
    params,
    query: z.strictObject({
      from: integer(0, 2 ** 31 - 1)
        .default(0)
        .describe("The position of the first"),
      limit: integer(1, 10_000).default(1000),
      phase: z.string().max(100).optional().describe("Only rollouts of this phase of a training"),
      step: integer(0, 2 ** 31 - 1)
        .optional()
        .describe("Only rollouts of this step of a training"),
    }),
    response: z.object({
      items: z.array(rolloutEntry),
      next: z.int().nullable().describe("The `from` of the next page; null on the last one"),
    }),
  },
  readRollouts: {
    ...read,
    path: "/api/v1/runs/{run}/rows",
    summary: "Read whole rollouts, as rows of results.jsonl",
    params,
    query: z.strictObject({
      from: integer(0, 2 ** 31 - 1).default(0),
      limit: integer(1, 200).default(20),
    }),
    response: z.object({
      items: z.array(z.record(z.string(), z.unknown())),
      next: z
        .int()
        .nullable()
        .describe(
          "The `from` of the next page, which a size limit may end early; null on the last",
        ),
    }),
  },
  readRollout: {
    ...read,
    path: "/api/v1/runs/{run}/rows/{position}",
    summary: "Read one whole rollout, as a row of results.jsonl",
    params: z.strictObject({ run: runId, position: integer(0, 2 ** 31 - 1) }),
    response: z.record(z.string(), z.unknown()),
  },
  readMetrics: {
    ...read,
    path: "/api/v1/runs/{run}/metrics",
    summary: "Read the curves of a training",
    params,
    response: z.object({ items: z.array(metricsRow) }),
  },
} as const satisfies Routes;
