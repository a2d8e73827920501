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

/** A saved run that can be resumed. */
export interface ResumableRun {
  readonly path: string;
  readonly plan: EvaluationPlan;
  readonly contentHash: string | undefined;
}

/** Finds the run to resume: a folder, or `latest` for the newest incomplete run. */
export async function findResumableRun(reference: string, outputs: string): Promise<ResumableRun> {
  if (reference !== "latest") return resumable(resolve(reference));
  for (const path of await findRuns(outputs)) {
    const { is_complete: isComplete, plan } = await readMetadata(path);
    if (isComplete === false && plan !== undefined) return resumable(path);
  }
  throw new ConfigError(`No incomplete run found in ${outputs}.`);
}

async function resumable(path: string): Promise<ResumableRun> {
  const metadata = await readMetadata(path);
  const parsed = storedPlan.safeParse(metadata["plan"]);
  if (!parsed.success)
    throw new ConfigError(
      `Cannot resume ${path}: its metadata.json has no valid evaluation plan. Only runs of envs eval and envs synth can be resumed.`,
    );
  const plan = parsed.data as unknown as EvaluationPlan;
  const environment = z.object({ content_hash: z.string() }).safeParse(metadata["environment"]);
  return {
    path,
    plan: { ...plan, examples: plan.examples < 0 ? Infinity : plan.examples },
    contentHash: environment.data?.content_hash,
  };
}
