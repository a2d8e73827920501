import { resolve } from "node:path";

import { ConfigError } from "@envs/core";
import { findRuns, readMetadata } from "@envs/records/node";
import * as z from "zod";

import { changedFiles, type EnvironmentFiles } from "../environments/environment-files.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import type { QueuedRunRecord } from "./queue-options.ts";

/** The field `judge` of `metadata.json`. */
export interface JudgeMetadata {
  readonly models: readonly string[];
  /** The hash of the prompt of each judged score. */
  readonly prompts: Readonly<Record<string, string>>;
}

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
  passThreshold: z.number().optional(),
});

const storedEnvironment = z.looseObject({ files: z.record(z.string(), z.string()) });

const storedJudge = z.looseObject({
  models: z.array(z.string()),
  prompts: z.record(z.string(), z.string()),
});

const storedQueue = z.object({ run: z.uuid(), address: z.string() });

/** A saved run that can be resumed. */
export interface ResumableRun {
  readonly path: string;
  readonly plan: EvaluationPlan;
  readonly model: string;
  /** The judges and the hashes of their prompts; `undefined` for a run without a judge. */
  readonly judge: JudgeMetadata | undefined;
  /** The run in a queue; `undefined` if one process played it. */
  readonly queuedRun: QueuedRunRecord | undefined;
  /** The files of its environment when it started. */
  readonly files: EnvironmentFiles;
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
  const environment = storedEnvironment.safeParse(metadata["environment"]);
  if (!parsed.success || !environment.success)
    throw new ConfigError(
      `Cannot resume ${path}: its metadata.json has no valid evaluation plan. Only runs of envs eval and envs synth can be resumed.`,
    );
  const plan = parsed.data as unknown as EvaluationPlan;
  return {
    path,
    plan: { ...plan, examples: plan.examples < 0 ? Infinity : plan.examples },
    model: metadata.model,
    queuedRun: storedQueue.safeParse(metadata["queue"]).data,
    judge: storedJudge.safeParse(metadata["judge"]).data,
    files: environment.data.files,
  };
}

/**
 * Throws a `ConfigError` if the environment has changed since the run started: its saved rollouts and new ones would not be
 * comparable.
 */
export function checkUnchanged({ path, plan, files }: ResumableRun, now: EnvironmentFiles): void {
  const changed = changedFiles(files, now);
  if (changed.length === 0) return;
  const names = changed.slice(0, 5).join(", ");
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : "";
  throw new ConfigError(
    `Cannot resume ${path}: ${plan.environment} has changed since the run started (${names}${more}), so its saved rollouts and new ones would not be comparable. Restore these files, or start a new run without --resume: envs eval ${plan.environment} -m ${plan.model}`,
  );
}
