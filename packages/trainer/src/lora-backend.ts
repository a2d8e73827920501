import type { LoraModel } from "@envs/lora";
import type { Renderer } from "@envs/tiny-model";

import { readInputFile, writeFileAtomically } from "#files";

import { datumLoss } from "./algorithms/datum-loss.ts";
import { sumLosses } from "./algorithms/loss-result.ts";
import type { Backend } from "./backend.ts";

export interface LoraBackendOptions {
  /** The name of the base model. */
  readonly id: string;
  /** The tokenizer and the chat template of the base model. */
  readonly renderer: Renderer;
}

/** Trains a LoRA adapter of a language model on this machine: a model of `@envs/lora`. */
export function loraBackend(model: LoraModel, { id, renderer }: LoraBackendOptions): Backend {
  return {
    id,
    renderer,
    contextLength: model.contextLength,
    sample: async (requests) => model.sample(requests),
    forward: async (data) => model.forward(data),
    async forwardBackward(data, settings) {
      const losses = model.forwardBackward(data, (datum, forward) => ({
        ...datumLoss(settings, datum, forward),
        forward,
      }));
      return sumLosses([losses]);
    },
    optimStep: async (settings) => model.optimStep(settings),
    saveState: (path) => writeFileAtomically(path, model.saveState()),
    loadState: async (path, options) => model.loadState(await readInputFile(path), path, options),
    async reference(path) {
      const values = model.readAdapter(await readInputFile(path), path);
      return { forward: async (data) => model.forward(data, values) };
    },
    async adapterFiles() {
      const { config, tensors } = model.writePeft(id);
      return { config: Buffer.from(`${JSON.stringify(config, undefined, 2)}\n`), weights: tensors };
    },
    close: async () => {},
  };
}
