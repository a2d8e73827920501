import pLimit from "p-limit";

import { runWithLimit } from "../abort.ts";
import { boundary } from "../errors.ts";
import { mergeSampling, type Model, type ModelResponse, type Sampling } from "../model/model.ts";

/** The sub-model of a run, and how it is asked. */
export interface SubModelRunOptions {
  /** Answers the sub-model calls of the environment. Default: `model`. */
  readonly subModel?: Model | undefined;
  /** The maximum number of concurrent sub-model calls. Default 32. */
  readonly subModelConcurrency?: number | undefined;
}

interface RunOptions extends SubModelRunOptions {
  readonly model: Model;
  readonly sampling?: Sampling | undefined;
  /** The time limit of one reply. */
  readonly turnTimeout?: number | undefined;
}

const wrapped = new WeakSet<Model>();

/**
 * Wraps the model that answers the sub-model calls of a run: bounds how many run at once, and the time of each. The rollout's
 * own model keeps the run's sampling. A model that is wrapped already stays as it is, so that rollouts share its bound.
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
