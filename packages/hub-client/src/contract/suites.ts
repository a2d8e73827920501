import * as z from "zod";

import { packageName, type Routes } from "./route.ts";
import { run } from "./run-fields.ts";

const suiteMember = z
  .object({
    package: z.string(),
    version: z.string(),
    integrity: z.string().describe("The integrity of the package's tarball"),
    config: z
      .record(z.string(), z.unknown())
      .describe("With the defaults of options that the suite omits"),
    configHash: z.string(),
    split: z.string().nullable(),
    seed: z.int(),
    examples: z.int().describe("The maximum number of examples"),
    rolloutsPerExample: z.int(),
  })
  .meta({ id: "SuiteMember" });

/** One locked evaluation of a suite: a column of its leaderboard. */
export type SuiteMember = z.output<typeof suiteMember>;

const suiteRow = z
  .object({
    rank: z
      .int()
      .nullable()
      .describe(
        "1 + the number of models with a lower mean rank; null if an evaluation is missing",
      ),
    isTied: z.boolean().describe("Another model has the same rank"),
    meanRank: z.number().nullable().describe("The mean of the ranks in the evaluations"),
    model: z.string(),
    owner: z.string().describe("The user who pushed the runs"),
    cells: z
      .array(
        z
          .object({
            rank: z
              .int()
              .nullable()
              .describe("1 + the number of ranked models whose interval is above this one"),
            run,
          })
          .nullable(),
      )
      .describe("In the order of the members; null for a missing evaluation"),
  })
  .meta({ id: "SuiteRow" });

/** A model on a suite's leaderboard. */
export type SuiteRow = z.output<typeof suiteRow>;

export const suiteRoutes = {
  readSuite: {
    method: "GET",
    path: "/api/v1/packages/{name}/suite",
    group: "Runs",
    summary: "Rank models by their evaluations on all environments of a suite",
    for: "anyone",
    params: z.strictObject({ name: packageName }),
    query: z.strictObject({
      version: z
        .string()
        .max(256)
        .optional()
        .describe("A version of the suite. Default: the latest"),
    }),
    response: z.object({
      version: z.string(),
      locked: z
        .int()
        .describe("The number of evaluations in the suite, also of those that you cannot read"),
      members: z.array(suiteMember),
      rows: z.array(suiteRow).describe("Ranked models first, then those that miss an evaluation"),
    }),
  },
} as const satisfies Routes;
