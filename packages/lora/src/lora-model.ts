import { ConfigError } from "@envs/core";
import type {
  AdamWSettings,
  Completion,
  ForwardOutput,
  OutputGradients,
  SampleRequest,
  TargetSequence,
} from "@envs/tiny-model";
import {
  AdamW,
  Arena,
  checkRequests,
  checkSequences,
  fastestBuild,
  LockstepSampler,
  packGradients,
  packs,
  rotationTables,
  startKernels,
  unpackOutputs,
} from "@envs/tiny-model/engine";

import { Adapter, type AdapterSettings, defaultAdapter } from "./adapter/adapter.ts";
import { Decoder } from "./engine/decoder.ts";
import { type LoadedModel, Transformer } from "./engine/transformer.ts";
import { type Architecture, readArchitecture } from "./model/architecture.ts";
import { loadWeights, type TensorSource } from "./model/frozen-weights.ts";

/** A model that does not run yet. */
export interface ModelFiles {
  /** The content of `config.json`. */
  readonly config: unknown;
  readonly tensors: TensorSource;
}

export interface LoraModelOptions {
  /** Default: rank 16, alpha 32, all projections. */
  readonly adapter?: AdapterSettings | undefined;
  /** Of the adapter's initial values. Default 0. */
  readonly seed?: number | undefined;
  /** Maximum length of a sequence, in tokens. Default 1,024, or what the model supports. */
  readonly contextLength?: number | undefined;
  /** Maximum number of conversations that are sampled at once, and cached. Default 32. */
  readonly slots?: number | undefined;
  /** The tokens that end a completion. */
  readonly stopIds?: readonly number[] | undefined;
}

interface RunOptions {
  readonly contextLength: number;
  readonly slots: number;
  readonly stopIds: readonly number[];
}

/** Tokens of prompts that are read at once. */
const promptTokens = 256;

/** A language model of the Llama family whose LoRA adapter is trained on the processor of this machine. */
export class LoraModel {
  readonly architecture: Architecture;
  readonly contextLength: number;
  readonly adapter: Adapter;
  readonly #transformer: Transformer;
  readonly #optimizer: AdamW;
  readonly #sampler: LockstepSampler;

  private constructor(model: LoadedModel, adapter: Adapter, options: RunOptions) {
    const { arena, kernels, architecture } = model;
    const { contextLength: context, slots, stopIds } = options;
    const { vocabulary } = architecture;
    this.architecture = architecture;
    this.contextLength = context;
    this.adapter = adapter;
    this.#transformer = new Transformer(model, adapter, context);
    this.#optimizer = new AdamW(kernels, arena, adapter);
    const capacity = Math.max(slots, Math.min(context, promptTokens));
    const decoder = new Decoder(model, adapter, { slots, capacity, context });
    this.#sampler = new LockstepSampler(decoder, { vocabulary, context, stopIds });
  }

  /** Copies the model into memory. Throws a `ConfigError` if its architecture is not supported or does not fit. */
  static load(files: ModelFiles, options: LoraModelOptions = {}): LoraModel {
    const architecture = readArchitecture(files.config);
    const { context, size, rotaryBase } = architecture;
    const { adapter: settings = defaultAdapter, seed = 0 } = options;
    const { contextLength = Math.min(1024, context), slots = 32, stopIds = [] } = options;
    if (!(Number.isInteger(contextLength) && contextLength >= 1 && contextLength <= context))
      throw new ConfigError(
        `The context length is ${contextLength}. It must be an integer from 1 to the model's ${context}.`,
      );
    const kernels = startKernels(fastestBuild());
    const arena = new Arena(kernels.memory);
    const weights = loadWeights({ kernels, arena }, architecture, files.tensors);
    const rotation = rotationTables(arena, {
      context: contextLength,
      half: size / 2,
      base: rotaryBase,
    });
    const adapter = new Adapter({ kernels, arena }, architecture, settings, contextLength);
    adapter.initialize(seed);
    const model = { kernels, arena, architecture, weights, rotation };
    return new LoraModel(model, adapter, { contextLength, slots, stopIds });
  }

  /** Samples completions of prompts. A completion does not depend on the others of its batch. */
  sample(requests: readonly SampleRequest[]): readonly Completion[] {
    const { vocabulary } = this.architecture;
    checkRequests(requests, { vocabulary, context: this.contextLength });
    return this.#sampler.sample(requests);
  }

  /** Computes log-probabilities and entropies without gradients. */
  forward(sequences: readonly TargetSequence[]): readonly ForwardOutput[] {
    this.#check(sequences);
    return [...packs(sequences, this.contextLength)].flatMap(({ sequences: members, pack }) =>
      unpackOutputs(members, this.#transformer.forward(pack)),
    );
  }

  /**
   * Calls `loss` with the output for each sequence, and adds the gradients that it returns to those of the adapter, for the
   * next `optimStep`. Returns the results of `loss`, in order.
   */
  forwardBackward<Sequence extends TargetSequence, Loss extends OutputGradients>(
    sequences: readonly Sequence[],
    loss: (sequence: Sequence, output: ForwardOutput) => Loss,
  ): readonly Loss[] {
    this.#check(sequences);
    const losses: Loss[] = [];
    for (const packed of packs(sequences, this.contextLength)) {
      const outputs = unpackOutputs(packed.sequences, this.#transformer.forward(packed.pack));
      const results = packed.sequences.map((sequence, index) => loss(sequence, outputs[index]!));
      losses.push(...results);
      const { gradLogprobs, gradEntropies } = packGradients(packed, results);
      this.#transformer.backward(gradLogprobs, gradEntropies);
    }
    return losses;
  }

  /** Changes the adapter by the accumulated gradients, and clears them. */
  optimStep(settings: AdamWSettings): { gradientNorm: number } {
    const gradientNorm = this.#optimizer.step(settings);
    this.#sampler.invalidate();
    return { gradientNorm };
  }

  #check(sequences: readonly TargetSequence[]): void {
    const { vocabulary } = this.architecture;
    checkSequences(sequences, { vocabulary, context: this.contextLength });
  }
}
