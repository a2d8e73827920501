import { readCheckpoint, resetOptimizer, type TinyModel, writeCheckpoint } from "@envs/tiny-model";

import { readInputFile, writeFileAtomically } from "#files";

import { datumLoss } from "./algorithms/datum-loss.ts";
import { sumLosses } from "./algorithms/loss-result.ts";
import type { Backend } from "./backend.ts";

/** Trains a tiny model. Closing the backend closes the model. */
export function tinyBackend(model: TinyModel): Backend {
  return {
    id: model.id,
    renderer: model.renderer,
    contextLength: model.contextLength,
    sample: (requests) => model.sample(requests),
    forward: (data) => model.forward(data),
    async forwardBackward(data, settings) {
      const threads = await model.forwardBackward(data, (datum, forward) => ({
        ...datumLoss(settings, datum, forward),
        forward,
      }));
      return sumLosses(threads);
    },
    optimStep: (settings) => model.optimStep(settings),
    saveState: async (path) => writeFileAtomically(path, writeCheckpoint(await model.checkpoint())),
    samplingWeights: async () => ({
      checkpoint: writeCheckpoint(await model.checkpoint(), { withOptimizer: false }),
    }),
    async loadState(path, { resetsOptimizer = false } = {}) {
      const checkpoint = readCheckpoint(await readInputFile(path), path);
      await model.restore(resetsOptimizer ? resetOptimizer(checkpoint) : checkpoint, path);
    },
    close: () => model.close(),
  };
}
