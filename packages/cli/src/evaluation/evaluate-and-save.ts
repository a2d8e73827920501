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
import { describeScores, examples, modelCheck, summarizer } from "@envs/core/engine";
import { createRun, readMetadata, reopenRun, type RunWriter, runsFolder } from "@envs/core/node";
import { type Metadata, schemaVersion, totals } from "@envs/core/records";

import { scoreWeights } from "../environments/describe.ts";
import type { LoadedEnvironment } from "../environments/load-environment.ts";
import type { LoadedModel } from "../models/load-model.ts";
import { newRunName } from "../runs/run-folder.ts";
import { version } from "../version.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";

export interface EvaluationOptions {
  readonly plan: EvaluationPlan;
  readonly loaded: LoadedEnvironment;
  readonly environment: Environment;
  readonly model: LoadedModel;
  /** The folder in which runs are saved. */
  readonly outputs: string;
  /** The folder of a run to resume. */
  readonly resume: string | undefined;
  readonly signal: AbortSignal;
  readonly onEvent: (event: RolloutEvent) => void;
  /** Called with the run's folder and the rollouts saved before it was resumed. */
  readonly onOpen: (run: { readonly path: string; readonly existing: readonly Rollout[] }) => void;
}

/** The result of an evaluation. */
export interface EvaluationOutcome {
  readonly path: string;
  readonly summary: Summary;
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
  const run = await openRun(options);
  const before = (await readMetadata(run.path)).time ?? 0;
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const sum = summarizer(environment, { passThreshold: plan.passThreshold });
  for (const rollout of run.existing) sum.add(rollout);
  options.onOpen(run);

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
    return { path: run.path, summary, time, cost, isComplete, fatal };
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
  const { maxTurns, maxTotalTokens, turnTimeout, rolloutTimeout, split } = plan;
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
  };
}

async function openRun(options: EvaluationOptions): Promise<RunWriter> {
  if (options.resume !== undefined)
    return reopenRun(options.resume, (existing) => completeGroups(existing, options));
  const { plan, loaded, environment, model, outputs } = options;
  const folder = join(runsFolder(outputs, environment.name, modelName(model, plan)), newRunName());
  return createRun(folder, {
    ...metadataOf(plan, environment, loaded),
    model: modelName(model, plan),
    base_url: model.baseURL ?? null,
  });
}

function modelName({ model }: LoadedModel, plan: EvaluationPlan): string {
  return model.id ?? plan.model;
}

/** Group scores need every rollout of a group, so incomplete groups are played again. */
function completeGroups(
  existing: readonly Rollout[],
  { environment, plan }: EvaluationOptions,
): readonly Rollout[] {
  const hasGroupScores = describeScores(environment.definition, environment.config).some(
    ({ isGroup }) => isGroup,
  );
  if (!hasGroupScores) return existing;
  const sizes = Map.groupBy(existing, ({ exampleKey }) => exampleKey);
  return existing.filter(
    ({ exampleKey }) => sizes.get(exampleKey)!.length === plan.rolloutsPerExample,
  );
}

function metadataOf(
  plan: EvaluationPlan,
  environment: Environment,
  loaded: LoadedEnvironment,
): Metadata {
  const { temperature, topP, maxTokens, stop } = plan.sampling;
  return {
    schema_version: schemaVersion,
    env_id: environment.name,
    env_args: environment.config,
    environment: {
      package: loaded.packageName ?? null,
      version: loaded.version ?? null,
      content_hash: loaded.contentHash,
    },
    model: plan.model,
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
