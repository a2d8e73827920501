import * as z from "zod";

import { packageName, type Routes, timestamp } from "./route.ts";
import { declarationId, runId, runKind, runLimits, runPrice } from "./run-fields.ts";

const text = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, "must not have control characters");
const hash = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex");
const count = z.int().min(0);
const step = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);

/** An object that PostgreSQL can store, of limited size and depth. */
const json = z
  .record(z.string(), z.unknown())
  .refine((value) => jsonDepth(value) <= 32, "has more than 32 levels")
  .refine(
    (value) => JSON.stringify(value).length <= runLimits.jsonCharacters,
    `has more than ${runLimits.jsonCharacters} characters`,
  )
  .refine(
    (value) => !/\\u(?:0000|d[89a-f])/i.test(JSON.stringify(value)),
    "has a NUL character or an unpaired surrogate",
  );

/** Stops at 33, so that a hostile depth cannot exhaust the stack. */
function jsonDepth(value: unknown, depth = 0): number {
  if (typeof value !== "object" || value === null || depth > 32) return depth;
  return Object.values(value).reduce<number>(
    (max, inner) => Math.max(max, jsonDepth(inner, depth + 1)),
    depth,
  );
}

const runPart = z
  .strictObject({
    kind: z
      .enum(["rollouts", "metrics", "media"])
      .describe("Lines of results.jsonl, or of a training's metrics.jsonl, or a file of media/"),
    sha256: hash.describe("Before compression"),
    bytes: z.int().min(1).max(runLimits.partBytes).describe("Before compression"),
    lines: z.int().min(1).max(runLimits.partLines).describe("1 for a file"),
    phase: text(100).default("").describe("The phase of a training"),
    step: step.default(0).describe("The step of a training in which the rollouts were sampled"),
    file: z
      .string()
      .regex(/^[0-9a-f]{64}\.[a-z0-9]{1,8}$/)
      .optional()
      .describe("For a file: its name, which is its SHA-256 with an extension"),
  })
  .refine(
    ({ kind, file, sha256, lines }) =>
      kind === "media"
        ? file?.slice(0, sha256.length) === sha256 && lines === 1
        : file === undefined,
    "only a part of the kind media has a file, which is named by its SHA-256",
  );

/** A part of an upload: lines of JSON, or a file to which rollouts refer. */
export type RunPart = z.output<typeof runPart>;

function metricsIn(parts: readonly RunPart[]): number {
  return parts.reduce((sum, { kind, lines }) => sum + (kind === "metrics" ? lines : 0), 0);
}

/** The description of a run and of the parts that the client will upload. */
export const runUpload = z.strictObject({
  kind: runKind,
  package: packageName,
  version: z.string().min(1).max(256),
  integrity: z.string().max(200).describe("The integrity of the version's tarball"),
  contentHash: z
    .string()
    .max(100)
    .describe("The content hash of the package that was run; it must be the version's own"),
  config: json.describe("The whole config, defaults included"),
  model: text(500).regex(
    /^[^\p{Cf}\s]+(?: [^\p{Cf}\s]+)*$/u,
    "must have visible characters and single spaces only, so that no two names look the same",
  ),
  sampling: json,
  seed: z.int().nullable(),
  split: text(100).nullable(),
  declaration: declarationId
    .nullable()
    .default(null)
    .describe("The declaration that the run keeps; null for a run that was not declared"),
  driver: text(200).min(1).describe("The program that played the rollouts, and its version"),
  coreVersion: text(100).min(1),
  price: z.strictObject(runPrice.shape).nullable().describe("For each million tokens"),
  details: json.default({}).describe("Limits, the plan of a training, versions"),
  modelPackage: text(300)
    .nullable()
    .default(null)
    .describe("The package and version of the model that a training produced"),
  startedAt: timestamp.nullable(),
  exampleSet: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe("The first 16 hex digits of the SHA-256 of the sorted example keys as a JSON array"),
  totals: z
    .strictObject({
      rollouts: count,
      scored: count,
      reward: z.number().nullable().describe("The mean of the scored rollouts"),
      inputTokens: count,
      outputTokens: count,
    })
    .describe("What the client counted. The hub counts again and rejects a difference"),
  parts: z
    .array(runPart)
    .min(1)
    .max(runLimits.parts)
    .refine((parts) => metricsIn(parts) <= runLimits.metrics, {
      error: ({ input }) =>
        `has ${metricsIn(input as readonly RunPart[])} rows of metrics, more than ${runLimits.metrics}. Record them every few steps only`,
    }),
});

/** The description of a run and of the parts that the client will upload. */
export type RunUpload = z.output<typeof runUpload>;

const uploadState = z
  .object({
    id: runId,
    state: z.enum(["uploading", "complete"]),
    missing: z.array(z.int()).describe("The indexes of the parts that the hub does not have"),
    url: z.string().describe("The page of the run, which exists once it is complete"),
  })
  .meta({ id: "RunUploadState" });

/** An upload that was created, or a run that has all parts. */
export type RunUploadState = z.output<typeof uploadState>;

export const uploadRoutes = {
  createRun: {
    method: "POST",
    path: "/api/v1/runs",
    group: "Runs",
    summary: "Begin to upload a run, or continue an upload of the same content",
    for: "user",
    body: runUpload,
    response: uploadState,
  },
  uploadRunPart: {
    method: "PUT",
    path: "/api/v1/runs/{run}/parts/{part}",
    group: "Runs",
    summary: "Upload a part of a run: lines of JSON or a file, compressed with gzip",
    for: "user",
    params: z.strictObject({
      run: runId,
      part: z.coerce.number<number | string>().int().min(0).max(runLimits.parts),
    }),
    content: "application/gzip",
    response: uploadState,
  },
  completeRun: {
    method: "POST",
    path: "/api/v1/runs/{run}/complete",
    group: "Runs",
    summary: "Complete an upload: the hub computes the numbers and shows the run",
    for: "user",
    params: z.strictObject({ run: runId }),
    response: uploadState,
  },
} as const satisfies Routes;
