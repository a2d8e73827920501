import { join } from "node:path";

import {
  ConfigError,
  type Environment,
  type Rollout,
  type RolloutEvent,
  rollouts,
  type RolloutsOptions,
  type Summary,
} from "@envs/core";
import { examples, modelCheck, summarizer } from "@envs/core/engine";
import { createRun, readMetadata, reopenRun, type RunWriter, runsFolder } from "@envs/core/node";
import { type Metadata, schemaVersion, totals } from "@envs/core/records";

import { scoreWeights } from "../environments/describe.ts";
import type { EnvironmentFiles } from "../environments/environment-files.ts";
import type { LoadedEnvironment } from "../environments/load-environment.ts";
import type { LoadedModel } from "../models/load-model.ts";
import { newRunName } from "../runs/run-folder.ts";
import { version } from "../version.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import type { ResumableRun } from "./resume.ts";
import { completeGroups, currentRollouts, plannedExamples } from "./saved-rollouts.ts";

export interface EvaluationOptions {
  readonly plan: EvaluationPlan;
  readonly loaded: LoadedEnvironment;
  readonly environment: Environment;
  readonly model: LoadedModel;
  /** The folder in which runs are saved. */
  readonly outputs: string;
  /** The run to resume. */
  readonly resume: ResumableRun | undefined;
  /** The files of the environment. */
  readonly files: EnvironmentFiles;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RolloutEvent) => void;
  /** Called before the first rollout. */
  readonly onOpen: (run: OpenRun) => void;
}

/** A run that is about to be played. */
export interface OpenRun {
  readonly path: string;
  /** The saved rollouts of a resumed run. */
  readonly existing: readonly Rollout[];
  /** The number of saved rollouts that do not count, because the dataset has changed or lost their example. */
  readonly staleRollouts: number;
}

/** The result of an evaluation. */
export interface EvaluationOutcome {
  readonly path: string;
  readonly summary: Summary;
  readonly staleRollouts: number;
  /** In seconds, without the time before the run was resumed. */
  readonly time: number;
  readonly cost: number | undefined;
  /** All rollouts were played, whether they were scored or failed. */
  readonly isComplete: boolean;
  /** The failure that stopped the run because every rollout would fail the same way. */
  readonly fatal: string | undefined;
}

/** Runs an evaluation and saves each rollout as it finishes. */
export async function evaluateAndSave(options: EvaluationOptions): Promise<EvaluationOutcome> {
  const { plan, environment, model, signal, onEvent } = options;
  model.model.check?.(modelCheck(environment));
  await checkDataset(environment, plan);
  const { run, staleRollouts } = await openRun(options);
  const before = (await readMetadata(run.path)).time ?? 0;
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const sum = summarizer(environment, { passThreshold: plan.passThreshold });
  for (const rollout of run.existing) sum.add(rollout);
  options.onOpen({ path: run.path, existing: run.existing, staleRollouts });

  const stop = new AbortController();
  let fatal: string | undefined;
  const finish = async (isComplete: boolean): Promise<EvaluationOutcome> => {
    const summary = sum.summary();
    const time = seconds();
    const cost = costOf(summary, model.price);
    await run.update({
      ...totals(summary),
      time: before + time,
      cost: cost ?? null,
      is_complete: isComplete,
    });
    return { path: run.path, summary, staleRollouts, time, cost, isComplete, fatal };
  };
  try {
    for await (const rollout of rollouts(environment, {
      ...rolloutsOptions(plan, model),
      signal: AbortSignal.any([signal, stop.signal]),
      skip: (key) => run.has(key),
      onEvent,
    })) {
      if (rollout.status === "failed" && rollout.error.code === "cancelled") continue;
      sum.add(rollout);
      await run.append(rollout);
      if (rollout.status !== "failed" || !rollout.error.isFatal || fatal !== undefined) continue;
      if (sum.summary().counts.scored > 0) continue;
      fatal = rollout.error.message;
      stop.abort(new Error(fatal));
    }
    return await finish(!signal.aborted && fatal === undefined);
  } finally {
    await run.close();
  }
}

/** Reads the first example, so that a broken or empty dataset fails before a run folder exists. */
async function checkDataset(environment: Environment, plan: EvaluationPlan): Promise<void> {
  const { seed, split } = plan;
  const options = { count: 1, seed, split };
  for await (const _ of examples(environment, options)) return;
  throw new ConfigError(`The dataset of ${environment.name} is empty.`);
}

function rolloutsOptions(plan: EvaluationPlan, loaded: LoadedModel): RolloutsOptions {
  const { maxTurns, maxTotalTokens, turnTimeout, rolloutTimeout, hookTimeout, split } = plan;
  return {
    model: loaded.model,
    sampling: plan.sampling,
    examples: plan.examples,
    rolloutsPerExample: plan.rolloutsPerExample,
    concurrency: Math.min(plan.concurrency, loaded.concurrency ?? Infinity),
    seed: plan.seed,
    shuffle: plan.shuffle,
    split,
    maxTurns,
    maxTotalTokens,
    turnTimeout,
    rolloutTimeout,
    hookTimeout,
  };
}

async function openRun(
  options: EvaluationOptions,
): Promise<{ readonly run: RunWriter; readonly staleRollouts: number }> {
  const { plan, environment, outputs, resume } = options;
  const metadata = metadataOf(options);
  if (resume === undefined) {
    const folder = join(runsFolder(outputs, environment.name, metadata.model), newRunName());
    return { run: await createRun(folder, metadata), staleRollouts: 0 };
  }
  if (resume.model !== metadata.model)
    throw new ConfigError(
      `Cannot resume ${resume.path}: ${plan.model} is now ${metadata.model}, but the run was played with ${resume.model}. Restore the endpoint in the config file, or start a new run without --resume.`,
    );
  const planned = await plannedExamples(environment, plan);
  let staleRollouts = 0;
  const run = await reopenRun(resume.path, (saved) => {
    const current = currentRollouts(saved, planned);
    staleRollouts = saved.length - current.length;
    return completeGroups(current, environment, plan);
  });
  // The same plan, but for what a resumed run can change.
  const { date: _, ...settings } = metadata;
  await run.update(settings);
  return { run, staleRollouts };
}

function modelName({ model }: LoadedModel, plan: EvaluationPlan): string {
  return model.id ?? plan.model;
}

function metadataOf({ plan, environment, loaded, files, model }: EvaluationOptions): Metadata {
  const { temperature, topP, maxTokens, stop } = plan.sampling;
  return {
    schema_version: schemaVersion,
    env_id: environment.name,
    env_args: environment.config,
    environment: {
      package: loaded.packageName ?? null,
      version: loaded.version ?? null,
      content_hash: loaded.contentHash,
      files,
    },
    model: modelName(model, plan),
    base_url: model.baseURL ?? null,
    sampling_args: { temperature, top_p: topP, max_tokens: maxTokens, stop },
    // JSON has no infinity; verifiers writes -1 for all examples.
    num_examples: Number.isFinite(plan.examples) ? plan.examples : -1,
    rollouts_per_example: plan.rolloutsPerExample,
    seed: plan.seed,
    split: plan.split ?? null,
    shuffle: plan.shuffle,
    pass_threshold: plan.passThreshold,
    weights: scoreWeights(environment),
    date: new Date().toISOString(),
    is_complete: false,
    version_info: {
      env_version: loaded.version ?? null,
      envs_version: version,
      node_version: process.version,
    },
    plan: { ...plan, examples: Number.isFinite(plan.examples) ? plan.examples : -1 },
  };
}

function costOf({ usage }: Summary, price: LoadedModel["price"]): number | undefined {
  if (price === undefined) return undefined;
  return (usage.inputTokens * price.input + usage.outputTokens * price.output) / 1e6;
}
