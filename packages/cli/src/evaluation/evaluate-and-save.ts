import {
  ConfigError,
  type Environment,
  type Example,
  type JudgeOptions,
  type Rollout,
  rollouts,
  type RolloutsOptions,
  type Summary,
} from "@envs/core";
import {
  checkModels,
  examples,
  isRolloutError,
  type KeyedExample,
  summarizer,
} from "@envs/core/engine";
import type { ServerUse } from "@envs/models";
import { costOf, type KnownPrice } from "@envs/models/prices";
import { totals } from "@envs/records";
import { readMetadata, WriteError } from "@envs/records/node";
import { parseSelection, selectOf } from "@envs/viewer";

import { otherCosts } from "../models/helper-costs.ts";
import type { LoadedJudge } from "../models/load-judge.ts";
import type { LoadedPlayers } from "../models/load-players.ts";
import { FailureError } from "../terminal/errors.ts";
import { pathArgument } from "../text/run-path.ts";
import type { EvaluationOptions } from "./evaluation-options.ts";
import type { EvaluationPlan } from "./evaluation-plan.ts";
import { openRun } from "./open-run.ts";
import { probeRollouts } from "./probe-rollouts.ts";

export interface EvaluationOutcome {
  readonly path: string;
  readonly summary: Summary;
  readonly staleRollouts: number;
  /** In seconds, without the time before the run was resumed. */
  readonly time: number;
  readonly cost: number | undefined;
  /** The price that the cost was computed by. */
  readonly price: KnownPrice | undefined;
  /** The cost of judging; `undefined` if no judge was asked, or if the price of one is unknown. */
  readonly judgeCost: number | undefined;
  /** The cost of sub-model calls; `undefined` without calls, or if the price is unknown. */
  readonly subModelCost: number | undefined;
  /** The costs of an agent's helpers, by name; `undefined` without their calls, or if no price is known. */
  readonly helperCosts: Readonly<Record<string, number>> | undefined;
  /** The number of rollouts whose sub-model calls exceeded their budget. */
  readonly subModelRefusals: number;
  /** Whether all rollouts were played, also those that failed. */
  readonly isComplete: boolean;
  /** The failure that stopped the run because every rollout would fail the same way. */
  readonly fatal: string | undefined;
}

/** The number of rows that may wait for the file. Those that arrive during a write are written together. */
const writesAtOnce = 16;

/** Runs an evaluation and saves each rollout as it finishes. */
export async function evaluateAndSave(options: EvaluationOptions): Promise<EvaluationOutcome> {
  const { plan, environment, model, signal, onEvent, play = rollouts } = options;
  checkModels(environment, model.models, plan.rotateSeats);
  const first = await checkDataset(environment, plan, signal);
  // Workers play rollouts that may end their process; a resumed run was probed when it started.
  if (options.play === undefined && options.resume === undefined) {
    const fault = await probeRollouts(environment, first, { seed: plan.seed, signal });
    signal.throwIfAborted();
    if (fault !== undefined) options.onWarning(fault);
  }
  const sum = summarizer(environment, { passThreshold: plan.passThreshold });
  let subModelRefusals = 0;
  const count = (rollout: Rollout): void => {
    sum.add(rollout);
    if ((rollout.subModelRefusals ?? 0) > 0) subModelRefusals += 1;
  };
  const { run, staleRollouts } = await openRun(options, count);
  const before = (await readMetadata(run.path)).time ?? 0;
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  options.onOpen({ path: run.path, existing: sum.summary().counts.total, staleRollouts });

  const stop = new AbortController();
  let fatal: string | undefined;
  /** The rows that are being written, in order. */
  const writes: Promise<void>[] = [];
  const save = async (rollout: Rollout, maxWrites: number): Promise<void> => {
    const write = run.append(rollout).then(() => count(rollout));
    // Rejects below, or is one of several that failed together.
    write.catch(() => {});
    writes.push(write);
    while (writes.length > maxWrites) await writes.shift();
  };
  const finish = async (isComplete: boolean): Promise<EvaluationOutcome> => {
    const summary = sum.summary();
    const time = seconds();
    const cost = model.price && costOf(summary.usage, model.price);
    const judgeCost = summary.judgeUsage && options.judge?.costOf(summary.judgeUsage);
    const { price } = options.subModel ?? model;
    const { helpers } = model;
    const { subModelCost, helperCosts } = otherCosts(summary.subModelUsage, { price, helpers });
    const servers = model.serverUse?.().map(serverRow) ?? [];
    await run.update({
      ...totals(summary),
      time: before + time,
      // A run that was resumed later may have another price than it started with.
      price: model.price ?? null,
      cost: cost ?? null,
      ...(judgeCost === undefined ? {} : { judge_cost: judgeCost }),
      ...(subModelCost === undefined ? {} : { sub_model_cost: subModelCost }),
      ...(helperCosts && { helper_costs: helperCosts }),
      ...(subModelRefusals === 0 ? {} : { sub_model_refusals: subModelRefusals }),
      ...(servers.length === 0 ? {} : { servers }),
      is_complete: isComplete,
    });
    const costs = {
      cost,
      price: model.price,
      judgeCost,
      subModelCost,
      helperCosts,
      subModelRefusals,
    };
    return { path: run.path, summary, staleRollouts, time, ...costs, isComplete, fatal };
  };
  try {
    for await (const rollout of play(environment, {
      ...rolloutsOptions(plan, model),
      ...judgeOptions(plan, options.judge),
      subModel: options.subModel?.model,
      subModelConcurrency: plan.subModelConcurrency,
      signal: AbortSignal.any([signal, stop.signal]),
      skip: (key) => run.has(key),
      onEvent,
    })) {
      if (rollout.status === "failed" && rollout.error.code === "cancelled") continue;
      const isFatal = rollout.status === "failed" && rollout.error.isFatal && fatal === undefined;
      await save(rollout, isFatal ? 0 : writesAtOnce);
      if (!isFatal || sum.summary().counts.scored > 0) continue;
      fatal = rollout.error.message;
      stop.abort(new Error(fatal));
    }
    await Promise.all(writes);
    return await finish(!signal.aborted && fatal === undefined);
  } catch (error) {
    await Promise.allSettled(writes);
    if (!isRolloutError(error) && !(error instanceof WriteError)) throw error;
    // The metadata cannot be written either if the disk is full. The run is marked incomplete since its start.
    await finish(false).catch(() => {});
    throw stopped(error, { path: run.path, saved: sum.summary().counts.total, options });
  } finally {
    await run.close();
  }
}

/** The error that stops a run between rollouts: the dataset threw, or the run cannot be written. */
function stopped(
  { message }: Error,
  {
    path,
    saved,
    options: { command = "envs eval" },
  }: { readonly path: string; readonly saved: number; readonly options: EvaluationOptions },
): FailureError {
  const rollouts = saved === 1 ? "1 rollout is" : `${saved} rollouts are`;
  return new FailureError(
    `${message}\nThe run has stopped. ${rollouts} saved. To play the rest once the cause is removed: ${command} --resume ${pathArgument(path)}`,
  );
}

/** The maximum number of examples that `all` stands for: a generator may never end. */
const maxExamples = 100_000;

/**
 * Reads the first, the selected or all examples: a broken, empty or endless dataset fails before a run folder exists. Returns the
 * first two.
 */
async function checkDataset(
  environment: Environment,
  plan: EvaluationPlan,
  signal: AbortSignal,
): Promise<readonly KeyedExample[]> {
  const { seed, split } = plan;
  const listed = plan.select === undefined ? undefined : parseSelection(plan.select).size;
  const limit = Number.isFinite(plan.examples) ? 0 : maxExamples;
  const select = selectOf(plan.select);
  const options = { count: listed ?? Math.max(limit + 1, 2), seed, split, select, signal };
  const first: KeyedExample[] = [];
  let count = 0;
  for await (const example of examples(environment, options)) {
    count += 1;
    if (count <= 2) first.push(example);
  }
  signal.throwIfAborted();
  if (count === 0) throw new ConfigError(`The dataset of ${environment.name} is empty.`);
  if (count > limit && limit > 0)
    throw new ConfigError(
      `The dataset of ${environment.name} has more than ${maxExamples} examples, or does not end. Pass the number of examples instead of all: -n ${maxExamples}`,
    );
  return first;
}

function rolloutsOptions(
  plan: EvaluationPlan,
  loaded: LoadedPlayers,
): RolloutsOptions<Example, string, string> {
  const { maxTurns, maxTotalTokens, turnTimeout, rolloutTimeout, hookTimeout, split } = plan;
  return {
    model: loaded.models,
    rotateSeats: plan.rotateSeats,
    sampling: plan.sampling,
    examples: plan.examples,
    rolloutsPerExample: plan.rolloutsPerExample,
    concurrency: Math.min(plan.concurrency, loaded.concurrency ?? Infinity),
    seed: plan.seed,
    shuffle: plan.shuffle,
    select: selectOf(plan.select),
    retry: plan.retry,
    split,
    maxTurns,
    maxTotalTokens,
    turnTimeout,
    rolloutTimeout,
    hookTimeout,
  };
}

function judgeOptions(
  { judgeConcurrency, judgeTimeout }: EvaluationPlan,
  judge: LoadedJudge | undefined,
): Pick<RolloutsOptions, "judge" | keyof JudgeOptions> {
  return { judge: judge?.models, judgeStore: judge?.store, judgeConcurrency, judgeTimeout };
}

function serverRow({ server, requests, failures, lastFailure }: ServerUse) {
  return { base_url: server, requests, failures, last_failure: lastFailure };
}
