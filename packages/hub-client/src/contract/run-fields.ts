import * as z from "zod";

import { timestamp } from "./route.ts";
import { runSummary } from "./run-summary.ts";

/** The id of a run, which its address contains. */
export const runId = z
  .string()
  .regex(/^[0-9a-z]{8,32}$/, "is not the id of a run")
  .describe("The id of a run");

/** The id of a declaration: the nonce from which the seed of its run follows. */
export const declarationId = z
  .string()
  .regex(/^[0-9a-z]{16,32}$/, "is not the id of a declaration")
  .describe("The id of a declaration");

/** Whether a run measured a model, or trained one. */
export const runKind = z.enum(["evaluation", "training"]);

/** The evidence that a run has, the weakest first. Every run is either uploaded or declared. */
export const badgeName = z.enum(["uploaded", "declared", "rescored", "reproduced", "refuted"]);

const amount = z.number().min(0);
const source = z
  .string()
  .min(1)
  .max(300)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not have control characters");

/** The prices of one million tokens. Older clients send the first two only. */
export const runPrice = z.object({
  input: amount,
  output: amount,
  cacheRead: amount
    .optional()
    .describe("Of input tokens that were read from a cache; default: as other input tokens"),
  cacheWrite: amount
    .optional()
    .describe("Of input tokens that were written to a cache; default: as other input tokens"),
  source: source
    .optional()
    .describe("The source of the prices, such as genai-prices 0.1.8: openai/gpt-5-mini"),
});

const runBadge = z
  .object({
    name: badgeName,
    createdAt: timestamp,
    evidence: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "RunBadge" });

/** Evidence for the numbers of a run. */
export type RunBadge = z.output<typeof runBadge>;

/** The environment, model and settings of a run. */
const runRecipe = z.object({
  package: z.string(),
  version: z.string(),
  integrity: z.string().describe("The integrity of the package's tarball"),
  config: z.record(z.string(), z.unknown()),
  configHash: z.string(),
  exampleSet: z
    .string()
    .describe("The hash of the sorted example keys: equal for runs on the same examples"),
  model: z.string(),
  sampling: z.record(z.string(), z.unknown()),
  seed: z.int().nullable(),
  split: z.string().nullable(),
  sample: z
    .string()
    .describe("The hash of split, selection and number of examples: equal for runs of one board"),
  declaration: declarationId.nullable().describe("Null for a run that was not declared"),
  passThreshold: z.number().describe("The environment's minimum reward of a pass"),
  driver: z.string().describe("What played the rollouts"),
  coreVersion: z.string(),
  price: runPrice.nullable().describe("For each million tokens"),
  details: z.record(z.string(), z.unknown()),
  modelPackage: z.string().nullable().describe("The package of the model that a training produced"),
});

/** A complete run without its rollouts. */
export const run = z
  .object({
    id: runId,
    kind: runKind,
    owner: z.string().describe("The user who pushed it"),
    recipe: runRecipe,
    summary: runSummary,
    badges: z.array(runBadge).describe("The weakest first"),
    contentHash: z.string().describe("SHA-256 of the description and of the lines of all parts"),
    startedAt: timestamp.nullable(),
    pushedAt: timestamp,
  })
  .meta({ id: "Run" });

/** A complete run without its rollouts. */
export type Run = z.output<typeof run>;

/** Limits of an upload that do not depend on the hub's settings. */
export const runLimits = {
  /** Bytes of the lines of a part, before compression. One rollout must fit. */
  partBytes: 8 * 2 ** 20,
  partLines: 5000,
  parts: 2000,
  /** Rows of a training's metrics, which the page of the run reads at once. */
  metrics: 200_000,
  /** Characters of each JSON object of the description. */
  jsonCharacters: 64 * 1024,
} as const;
