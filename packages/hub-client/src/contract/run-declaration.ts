import * as z from "zod";

import { type Routes, timestamp } from "./route.ts";
import { declarationId } from "./run-fields.ts";
import { runUpload } from "./run-upload.ts";

const runDeclaration = z.strictObject({
  ...runUpload.pick({
    package: true,
    version: true,
    integrity: true,
    contentHash: true,
    config: true,
    model: true,
    sampling: true,
    split: true,
    details: true,
  }).shape,
  examples: z.int().min(1).nullable().describe("The maximum number of examples; null for all"),
  size: z
    .int()
    .min(1)
    .nullable()
    .describe("The number of examples to choose from; null above 10,000, or if it has no end"),
  rolloutsPerExample: z.int().min(1).max(100_000),
});

/** The details that change what a run plays, or what it counts for. A declared run has exactly the declared ones. */
export const declaredDetails = [
  "select",
  "maxTurns",
  "maxTotalTokens",
  "judge",
  "subModel",
  "reproduces",
  "suite",
] as const;

/** The recipe of a run that has not begun. */
export type RunDeclaration = z.output<typeof runDeclaration>;

export const declarationRoutes = {
  declareRun: {
    method: "POST",
    path: "/api/v1/declarations",
    group: "Runs",
    summary: "Declare a run before its first rollout. The hub chooses its seed",
    for: "user",
    body: runDeclaration,
    response: z
      .object({
        id: declarationId,
        seed: z.int().describe("The seed of the run, and of the shuffled choice of its examples"),
        expiresAt: timestamp.describe("The hub accepts the run until then"),
      })
      .meta({ id: "Declaration" }),
  },
} as const satisfies Routes;
