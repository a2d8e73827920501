import { type Endpoint, version } from "@envs/cli/kit";
import type { JudgePlan, SubModelPlan } from "@envs/cli/kit/models";
import type { PlayRollouts } from "@envs/cli/kit/runs";
import type { Environment, Example, Model, Rollout, RolloutsOptions } from "@envs/core";
import {
  type OpenedQueue,
  playThroughQueue,
  formatPlan,
  type SharedEnvironment,
  type QueuedPolicy,
} from "@envs/queue/plans";
import { v5 as uuidv5 } from "uuid";

import type { SamplingWeights } from "../../backend.ts";
import type { PlayWithWeights } from "../../node/play-elsewhere.ts";
import type { RunService } from "./service.ts";

export interface QueuedTrainingOptions {
  readonly opened: OpenedQueue;
  /** A UUID of the training, by which a resumed training finds its open runs. */
  readonly training: string;
  readonly environment: SharedEnvironment;
  /** The service of a large model; `undefined` for the tiny model. */
  readonly service: (RunService & { readonly apiKeyVariable: string | undefined }) | undefined;
  readonly judge: JudgePlan;
  readonly subModel: SubModelPlan;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  readonly note: (text: string) => void;
}

/** How a training plays its rollouts through a queue. Disposing deletes its runs there. */
export interface QueuedTraining extends AsyncDisposable {
  /** Plays rollouts of the model in training. */
  readonly play: PlayWithWeights;
  /** Plays rollouts of a policy of the environment, for supervised learning. */
  readonly playPolicy: PlayRollouts;
}

/**
 * Plays each batch of a training as a run of the queue: the rollouts of a step, an evaluation, or the data of a supervised
 * phase. The plan of a run contains the weights of that moment, so that workers never sample from older ones.
 */
export function queuedTraining(options: QueuedTrainingOptions): QueuedTraining {
  const { opened, environment: shared, endpoints, judge, subModel } = options;
  const note = once(options.note);
  const active = new Set<string>();
  const finished: string[] = [];
  /** Deletes all finished runs but the last, from which a worker may be about to lease. */
  const removeFinished = async (kept: number): Promise<void> => {
    for (const id of finished.splice(0, Math.max(0, finished.length - kept)))
      // The queue deletes what remains a day later.
      await opened.queue.remove(id).catch(() => {});
  };

  async function* play(
    environment: Environment,
    rolloutsOptions: RolloutsOptions<Example, string, string>,
    { policy, ...models }: SubModelPlan & { readonly policy?: QueuedPolicy | undefined },
  ): AsyncGenerator<Rollout> {
    const { model, sampling = {}, rolloutsPerExample = 1, seed = 0, split } = rolloutsOptions;
    const { examples, shuffle = false, maxTurns, rotateSeats } = rolloutsOptions;
    const settings = { sampling, rolloutsPerExample, seed, split, maxTurns, rotateSeats };
    const plan = formatPlan({
      environment: shared,
      play: { ...judge, ...models, ...settings, tokens: true, model: modelName(model) },
      config: environment.config,
      policy,
      endpoints,
    });
    const same = { id: uuidv5(JSON.stringify([plan, examples, shuffle]), options.training), plan };
    const state = await opened.queue.state(same.id);
    // The trainer was killed between the end of the run and its deletion.
    if (state === "finished" || state === "cancelled") finished.push(same.id);
    const isFree = state === undefined || (state === "open" && !active.has(same.id));
    const id = isFree ? same.id : crypto.randomUUID();
    active.add(id);
    try {
      yield* playThroughQueue(environment, rolloutsOptions, { ...opened, run: { id, plan }, note });
    } finally {
      active.delete(id);
      finished.push(id);
      await removeFinished(1);
    }
  }

  return {
    async *play(environment, rolloutsOptions, weights) {
      // The worker of an embedded queue asks the model itself.
      const policy = opened.isEmbedded ? undefined : policyOf(await weights(), options.service);
      yield* play(environment, rolloutsOptions, { ...subModel, policy });
    },
    playPolicy: (environment, rolloutsOptions) => play(environment, rolloutsOptions, {}),
    async [Symbol.asyncDispose]() {
      await removeFinished(0);
      await opened.queue[Symbol.asyncDispose]();
    },
  };
}

/** The model's name, or `seat=model` pairs as for `-m`. */
function modelName(models: RolloutsOptions<Example, string, string>["model"]): string {
  const nameOf = (model: Model | undefined): string => model?.id ?? "model";
  if (typeof models === "function") return nameOf(models);
  return Object.entries(models)
    .map(([seat, model]) => `${seat}=${nameOf(model)}`)
    .join(",");
}

function policyOf(
  weights: SamplingWeights,
  service: QueuedTrainingOptions["service"],
): QueuedPolicy {
  if ("checkpoint" in weights)
    return { checkpoint: Buffer.from(weights.checkpoint).toString("base64"), version };
  const { model, record, apiKeyVariable } = service!;
  const { baseModel, tokenizer = baseModel } = model;
  return { ...weights, baseURL: record.base_url, apiKeyVariable, baseModel, tokenizer };
}

/** Notes each text once: a training repeats texts at each step. */
function once(note: (text: string) => void): (text: string) => void {
  const noted = new Set<string>();
  return (text) => {
    if (!noted.has(text)) note(text);
    noted.add(text);
  };
}
