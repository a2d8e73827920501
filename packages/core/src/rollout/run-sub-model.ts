import pLimit from "p-limit";

import { runWithLimit } from "../abort.ts";
import type { KeyedExample } from "../dataset/example.ts";
import { boundary } from "../errors.ts";
import { mergeSampling, type Model, type ModelResponse, type Sampling } from "../model/model.ts";
import { random } from "../random.ts";
import { firstModel } from "./assign-models.ts";
import type { PlayOptions, SubModelRunOptions } from "./play-options.ts";

interface RunOptions extends SubModelRunOptions {
  readonly model: Model;
  readonly sampling?: Sampling | undefined;
  /** The time limit of one reply. */
  readonly turnTimeout?: number | undefined;
}

const wrapped = new WeakSet<Model>();

/**
 * Wraps the model that answers the sub-model calls of a run: bounds how many run at once, and the time of each. The rollout's own
 * model keeps the run's sampling. Returns an already wrapped model unchanged, so that rollouts share its bound.
 */
export function runSubModel(options: RunOptions): Model {
  const { model, subModel = model, subModelConcurrency = 32, turnTimeout } = options;
  if (wrapped.has(subModel)) return subModel;
  const limit = pLimit(subModelConcurrency);
  const defaults = options.subModel === undefined ? options.sampling : undefined;
  const ask: Model = (request) =>
    limit(async () => {
      request.signal.throwIfAborted();
      const controller = new AbortController();
      const sampling = mergeSampling(defaults, request.sampling);
      let response: ModelResponse | undefined;
      const failure = await runWithLimit(
        { controller, signal: request.signal, timeout: turnTimeout, operation: "The sub-model" },
        async () => {
          const asked = { ...request, sampling, signal: controller.signal };
          response = await boundary("model", "the sub-model", () => subModel(asked));
        },
      );
      if (response === undefined || failure !== undefined) throw failure;
      return response;
    });
  wrapped.add(ask);
  return Object.assign(ask, { id: subModel.id, check: subModel.check });
}

/** The sub-model of one rollout: rollouts of the same example sample with different seeds. */
export function subModelOf({ key }: KeyedExample, options: PlayOptions<string>): Model {
  const { seed = 0, rolloutIndex = 0 } = options;
  const seeds = random(seed, key, "rollout", rolloutIndex, "sub-model");
  const model = runSubModel({ ...options, model: firstModel(options.model) });
  const ask: Model = (request) =>
    model({ ...request, seed: seeds.for(request.seed ?? 0).int(2 ** 31) });
  return Object.assign(ask, { id: model.id });
}
