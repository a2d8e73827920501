import * as z from "zod";

import { integer, packageName, type Routes } from "./route.ts";
import { badgeName, run, runId, runKind } from "./run-fields.ts";

const read = { method: "GET", group: "Runs", for: "anyone" } as const;

const board = z
  .object({
    version: z.string(),
    configHash: z.string(),
    config: z.record(z.string(), z.unknown()),
    sample: z.string().describe("The hash of split, selection and number of examples"),
    split: z.string().nullable(),
    select: z.string().nullable(),
    examples: z.int(),
    runs: z.int(),
  })
  .meta({ id: "Board" });

/** The runs of one version with one config, on equally many examples that were chosen the same way. */
export type Board = z.output<typeof board>;

const leaderboardRow = z
  .object({
    rank: z
      .int()
      .nullable()
      .describe(
        "1 + the number of runs whose interval is above this one; null for uploaded and refuted runs",
      ),
    isTied: z.boolean().describe("Another run has the same rank"),
    run,
  })
  .meta({ id: "LeaderboardRow" });

/** A run on a leaderboard. */
export type LeaderboardRow = z.output<typeof leaderboardRow>;

const declared = z
  .object({
    owner: z.string(),
    model: z.string(),
    declared: z.int(),
    completed: z.int().describe("Declared runs that came back and were not deleted"),
    open: z.int().describe("Declared runs that may still come back"),
  })
  .meta({ id: "DeclaredRuns" });

/** How many of the runs that a user declared with a model came back. */
export type DeclaredRuns = z.output<typeof declared>;

export const runRoutes = {
  readRun: {
    ...read,
    path: "/api/v1/runs/{run}",
    summary: "Read a run's recipe, numbers and badges",
    params: z.strictObject({ run: runId }),
    response: run,
  },
  deleteRun: {
    method: "DELETE",
    path: "/api/v1/runs/{run}",
    group: "Runs",
    summary: "Delete your run and its rollouts, or cancel its upload",
    for: "user",
    params: z.strictObject({ run: runId }),
    response: z.object({ id: runId }),
  },
  listRuns: {
    ...read,
    path: "/api/v1/packages/{name}/runs",
    summary: "List a package's runs, the newest first",
    params: z.strictObject({ name: packageName }),
    query: z.strictObject({
      version: z.string().max(256).optional(),
      kind: runKind.optional(),
      limit: integer(1, 100).default(20),
      from: integer(0, 10_000).default(0),
    }),
    response: z.object({ items: z.array(run), total: z.int() }),
  },
  readLeaderboard: {
    ...read,
    path: "/api/v1/packages/{name}/leaderboard",
    summary: "Rank the declared evaluations of a version with one config",
    params: z.strictObject({ name: packageName }),
    query: z.strictObject({
      version: z.string().max(256).optional().describe("Default: the newest with evaluations"),
      config: z.string().max(64).optional().describe("A config hash. Default: the most frequent"),
      examples: z
        .string()
        .max(64)
        .optional()
        .describe("The sample of a board. Default: the most frequent"),
      model: z.string().max(200).optional().describe("Only models whose name contains this text"),
      badge: badgeName.optional().describe("Only runs with this badge"),
    }),
    response: z.object({
      board: board.nullable().describe("Null if the package has no evaluations"),
      boards: z.array(board).describe("All boards of the package, the newest version first"),
      rows: z.array(leaderboardRow).describe("Ranked runs first"),
      declared: z.array(declared).describe("The declared runs of the package, by user and model"),
    }),
  },
} as const satisfies Routes;
