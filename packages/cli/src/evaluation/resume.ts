import { resolve } from "node:path";

import { ConfigError } from "@envs/core";
import { findRuns, readMetadata } from "@envs/core/node";
import * as z from "zod";

import type { EvaluationPlan } from "./evaluation-plan.ts";

const storedPlan = z.looseObject({
  environment: z.string(),
  model: z.string(),
  config: z.record(z.string(), z.unknown()),
  sampling: z.looseObject({}),
  examples: z.number(),
  rolloutsPerExample: z.int().min(1),
  concurrency: z.int().min(1),
  seed: z.int(),
  shuffle: z.boolean(),
  tokens: z.boolean(),
  passThreshold: z.number(),
});

/** A run to go on with. */
export interface ResumableRun {
  readonly path: string;
  readonly plan: EvaluationPlan;
  readonly contentHash: string | undefined;
}

/** Finds the run to go on with: a folder, or `latest` for the newest that is not complete. */
export async function findResumable(reference: string, outputs: string): Promise<ResumableRun> {
  if (reference !== "latest") return resumable(resolve(reference));
  for (const path of await findRuns(outputs)) {
    const { is_complete: isComplete, plan } = await readMetadata(path);
    if (isComplete === false && plan !== undefined) return resumable(path);
  }
  throw new ConfigError(`There is no incomplete run below ${outputs}.`);
}

async function resumable(path: string): Promise<ResumableRun> {
  const metadata = await readMetadata(path);
  const parsed = storedPlan.safeParse(metadata["plan"]);
  if (!parsed.success)
    throw new ConfigError(`${path} does not say how it was run, so it cannot be gone on with.`);
  const plan = parsed.data as unknown as EvaluationPlan;
  const environment = z.object({ content_hash: z.string() }).safeParse(metadata["environment"]);
  return {
    path,
    plan: { ...plan, examples: plan.examples < 0 ? Infinity : plan.examples },
    contentHash: environment.data?.content_hash,
  };
}
