import { ConfigError, type RolloutsOptions } from "@envs/core";
import { checkRequirements, modelCheck } from "@envs/core/engine";
import type { QueuedRun, ReadyRun } from "@envs/queue";

import type { ConfigFile } from "../config-file.ts";
import {
  changedFiles,
  environmentFiles,
  type EnvironmentFiles,
} from "../environments/environment-files.ts";
import { type LoadedEnvironment, loadEnvironment } from "../environments/load-environment.ts";
import { loadJudge } from "../models/load-judge.ts";
import { loadModel } from "../models/load-model.ts";
import { loadSubModel } from "../models/sub-model.ts";
import { installOnce } from "./exact-environment.ts";
import { parsePlan, type QueuedPlan } from "./queued-plan.ts";

export interface ReadyRunOptions {
  /** The endpoints of this machine's config file. They take precedence over those of the coordinator. */
  readonly endpoints: NonNullable<ConfigFile["endpoints"]>;
  readonly concurrency: number;
}

/** Makes a run ready to be played on this machine. Throws if it cannot be played here, or would be played differently. */
export async function readyRun(
  { plan: text }: QueuedRun,
  { endpoints: own, concurrency }: ReadyRunOptions,
): Promise<ReadyRun> {
  const { environment: wanted, play, config, endpoints: shared } = parsePlan(text);
  const endpoints = { ...shared, ...own };
  const loaded = await loadWanted(wanted);
  const environment = loaded.factory(JSON.parse(config) as Readonly<Record<string, unknown>>);
  await checkRequirements(environment);
  const { baseURL, apiKeyVariable } = play;
  const tokens = play.tokens || undefined;
  const options = { endpoints, baseURL, apiKeyVariable, concurrency, tokens };
  const model = await loadModel(play.model, options);
  model.model.check?.(modelCheck(environment));
  const judge = await loadJudge(environment, play, endpoints);
  const subModel = await loadSubModel(environment, play, endpoints);
  return {
    environment,
    options: {
      ...playOptions(play),
      model: model.model,
      judge: judge?.models,
      judgeStore: judge?.store,
      subModel: subModel?.model,
    },
    async [Symbol.asyncDispose]() {
      await model.close();
      await judge?.close();
      await subModel?.close();
    },
  };
}

function playOptions(play: QueuedPlan["play"]): Omit<RolloutsOptions, "model"> {
  const { sampling, rolloutsPerExample, seed, split, retry } = play;
  const { maxTurns, maxTotalTokens, turnTimeout, rolloutTimeout, hookTimeout } = play;
  const { judgeConcurrency, judgeTimeout, subModelConcurrency } = play;
  return {
    sampling,
    rolloutsPerExample,
    seed,
    split,
    retry,
    maxTurns,
    maxTotalTokens,
    turnTimeout,
    rolloutTimeout,
    hookTimeout,
    judgeConcurrency,
    judgeTimeout,
    subModelConcurrency,
  };
}

async function loadWanted({
  reference,
  hub,
  files,
}: QueuedPlan["environment"]): Promise<LoadedEnvironment> {
  const loaded = await loadEnvironment(hub === undefined ? reference : await installOnce(hub));
  checkSameFiles(reference, files, await environmentFiles(loaded));
  return loaded;
}

/** Throws a `ConfigError` if rollouts of this machine would not be comparable with those of others. */
function checkSameFiles(
  reference: string,
  wanted: EnvironmentFiles,
  present: EnvironmentFiles,
): void {
  const changed = changedFiles(wanted, present);
  if (changed.length === 0) return;
  const names = changed.slice(0, 5).join(", ");
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : "";
  throw new ConfigError(
    `${reference} has other files here than on the machine that started the run (${names}${more}). Copy the same files to every machine, share the folder, or publish the environment and name its version: @you/environment@1.0.0`,
  );
}
