import type { ConfigFile } from "@envs/cli/kit";
import { changedFiles } from "@envs/cli/kit/environments";
import {
  loadJudge,
  type LoadedPlayers,
  loadPlayers,
  seatModelNames,
  loadSubModel,
} from "@envs/cli/kit/models";
import { ConfigError, type Environment, policy as ownPolicy } from "@envs/core";
import { checkModels, checkRequirements } from "@envs/core/engine";

import type { ReadyRun } from "../play-run.ts";
import type { QueuedRun } from "../queue.ts";
import { parsePlan, type QueuedPlan } from "./queued-plan.ts";
import { loadPolicy } from "./queued-policy.ts";
import type { WorkerEnvironment, WorkerEnvironments } from "./worker-environments.ts";

export interface ReadyRunOptions {
  /** The endpoints of this machine's config file. They take precedence over those of the coordinator. */
  readonly endpoints: NonNullable<ConfigFile["endpoints"]>;
  readonly environments: WorkerEnvironments;
  readonly concurrency: number;
}

/** Makes a run ready to be played on this machine. Throws if it cannot be played here, or would be played differently. */
export async function readyRun(
  { plan: text }: QueuedRun,
  { endpoints: own, environments, concurrency }: ReadyRunOptions,
): Promise<ReadyRun> {
  const plan = parsePlan(text);
  const { environment: wanted, play, config } = plan;
  const endpoints = { ...plan.endpoints, ...own };
  const { loaded, files } = await environments.load(wanted);
  checkSameFiles(wanted, files);
  const environment = loaded.factory(JSON.parse(config) as Readonly<Record<string, unknown>>);
  await checkRequirements(environment);
  const model = await loadPlayer(environment, plan, { endpoints, concurrency });
  checkModels(environment, model.models, play.rotateSeats);
  const judge = await loadJudge(environment, play, endpoints);
  const subModel = await loadSubModel(environment, play, endpoints);
  return {
    environment,
    options: {
      ...play,
      model: model.models,
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

async function loadPlayer(
  environment: Environment,
  { play, policy }: QueuedPlan,
  { endpoints, concurrency }: Pick<ReadyRunOptions, "endpoints" | "concurrency">,
): Promise<LoadedPlayers> {
  if (policy !== undefined) {
    const loaded = await loadPolicy(policy, concurrency);
    const seats = seatModelNames(environment, play.model);
    if (seats === undefined) return { ...loaded, models: loaded.model };
    // Replaces the name of the trained model; policies of the environment may take other seats.
    const models = [...seats].map(([seat, name]) => {
      const [, own] = /^policy:(.*)$/u.exec(name) ?? [];
      return [seat, own === undefined ? loaded.model : ownPolicy(own)] as const;
    });
    return { ...loaded, models: Object.fromEntries(models) };
  }
  const { baseURL, apiKeyVariable } = play;
  const tokens = play.tokens || undefined;
  return loadPlayers(environment, play.model, {
    endpoints,
    baseURL,
    apiKeyVariable,
    concurrency,
    tokens,
  });
}

/** Throws a `ConfigError` if rollouts of this machine would not be comparable with those of others. */
function checkSameFiles(
  { reference, files: wanted }: QueuedPlan["environment"],
  present: WorkerEnvironment["files"],
): void {
  const changed = changedFiles(wanted, present);
  if (changed.length === 0) return;
  const names = changed.slice(0, 5).join(", ");
  const more = changed.length > 5 ? ` and ${changed.length - 5} more` : "";
  throw new ConfigError(
    `${reference} has other files here than on the machine that started the run (${names}${more}). Copy the same files to every machine, share the folder, or publish the environment and name its version: @you/environment@1.0.0. If the files have changed since this worker loaded them, restart it.`,
  );
}
