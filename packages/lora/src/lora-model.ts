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
import { type PeftAdapter, readPeft, writePeft } from "./adapter/peft.ts";
import { readState, writeState } from "./adapter/state.ts";
import { Decoder } from "./engine/decoder.ts";
import { type LoadedModel, Transformer } from "./engine/transformer.ts";
import { type Architecture, readArchitecture } from "./model/architecture.ts";
import { fingerprint } from "./model/fingerprint.ts";
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
  /** Maximum number of conversations that are sampled at once, and cached. Default: 32, or as many as fit into a GiB. */
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

/** The maximum of the default number of slots, and of the bytes that these cache. */
const maxSlots = 32;
const maxCacheBytes = 2 ** 30;

/** A language model of the Llama family whose LoRA adapter is trained on the processor of this machine. */
export class LoraModel {
  readonly architecture: Architecture;
  readonly contextLength: number;
  readonly adapter: Adapter;
  /** The fingerprint of the frozen weights. */
  readonly base: string;
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
    this.base = fingerprint(arena, model.weights);
    this.#transformer = new Transformer(model, adapter, context);
    this.#optimizer = new AdamW(kernels, arena, adapter);
    const capacity = Math.max(slots, Math.min(context, promptTokens));
    const decoder = new Decoder(model, adapter, { slots, capacity, context });
    this.#sampler = new LockstepSampler(decoder, { vocabulary, context, stopIds });
  }

  /** Copies the model into memory. Throws a `ConfigError` if its architecture is not supported or does not fit. */
  static load(files: ModelFiles, options: LoraModelOptions = {}): LoraModel {
    const architecture = readArchitecture(files.config);
    const { context, size, rotaryBase, pairs, layers } = architecture;
    const { adapter: settings = defaultAdapter, seed = 0 } = options;
    const { contextLength = Math.min(1024, context), stopIds = [] } = options;
    if (!(Number.isInteger(contextLength) && contextLength >= 1 && contextLength <= context))
      throw new ConfigError(
        `The context length is ${contextLength}. It must be an integer from 1 to the model's ${context}.`,
      );
    const slotBytes = 8 * layers * pairs * size * contextLength;
    const affordable = Math.max(1, Math.floor(maxCacheBytes / slotBytes));
    const { slots = Math.min(maxSlots, affordable) } = options;
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

  /** Computes log-probabilities and entropies without gradients, with other values of the adapter if they are passed. */
  forward(sequences: readonly TargetSequence[], values?: Float32Array): readonly ForwardOutput[] {
    this.#check(sequences);
    const present = values && this.adapter.values.slice();
    if (values !== undefined) this.adapter.values.set(values);
    const outputs = [...packs(sequences, this.contextLength)].flatMap(
      ({ sequences: members, pack }) => unpackOutputs(members, this.#transformer.forward(pack)),
    );
    if (present !== undefined) this.adapter.values.set(present);
    return outputs;
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

  /** The adapter and its optimizer as a safetensors file, from which training continues bit for bit. */
  saveState(): Uint8Array {
    return writeState(this.#owner);
  }

  /** Reads a file of `saveState`; `origin` names it in errors. */
  loadState(
    bytes: Uint8Array,
    origin: string,
    { resetsOptimizer = false }: { readonly resetsOptimizer?: boolean | undefined } = {},
  ): void {
    const { adapter, first, second, steps } = readState(this.#owner, bytes, origin);
    this.#restart(() => this.adapter.values.set(adapter));
    if (resetsOptimizer) return;
    this.#optimizer.steps = steps;
    this.#optimizer.moments.first.set(first);
    this.#optimizer.moments.second.set(second);
  }

  /** The values of the adapter in a file of `saveState`, for `forward`. */
  readAdapter(bytes: Uint8Array, origin: string): Float32Array {
    return readState(this.#owner, bytes, origin).adapter;
  }

  /** Copies the adapter into PEFT's format; see {@link writePeft}. */
  writePeft(baseModel?: string): PeftAdapter {
    return writePeft(this.adapter, baseModel);
  }

  /** Copies PEFT's `adapter_model.safetensors` into the adapter, and starts its optimizer again. */
  loadPeft(bytes: Uint8Array): void {
    this.#restart(() => readPeft(this.adapter, bytes));
  }

  #restart(changeAdapter: () => void): void {
    changeAdapter();
    this.adapter.gradientValues.fill(0);
    this.#optimizer.steps = 0;
    this.#optimizer.moments.first.fill(0);
    this.#optimizer.moments.second.fill(0);
    this.#sampler.invalidate();
  }

  get #owner() {
    return { adapter: this.adapter, optimizer: this.#optimizer, base: this.base };
  }

  #check(sequences: readonly TargetSequence[]): void {
    const { vocabulary } = this.architecture;
    checkSequences(sequences, { vocabulary, context: this.contextLength });
  }
}
