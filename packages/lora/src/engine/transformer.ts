import {
  type Arena,
  type Kernels,
  type Pack,
  positionsOf,
  type RotationTables,
} from "@envs/tiny-model/engine";

import type { Adapter } from "../adapter/adapter.ts";
import type { Architecture } from "../model/architecture.ts";
import type { FrozenWeights } from "../model/frozen-weights.ts";
import { dense, multiply, project } from "../model/products.ts";
import { allocateBuffers, type Buffers, logitRows } from "./buffers.ts";
import { backwardLayer } from "./layer-backward.ts";
import { forwardLayer, type LayerContext } from "./layer.ts";

/** A model of the Llama family in memory. */
export interface LoadedModel {
  readonly kernels: Kernels;
  readonly arena: Arena;
  readonly architecture: Architecture;
  readonly weights: FrozenWeights;
  readonly rotation: RotationTables;
}

/** The forward and backward pass over packed sequences; only the adapter has gradients. */
export class Transformer {
  readonly #model: LoadedModel;
  readonly #context: LayerContext;
  readonly #at: Buffers;
  readonly #capacity: number;
  #pack: Pack | undefined;

  /** `capacity`: maximum number of tokens per pack. */
  constructor(model: LoadedModel, adapter: Adapter, capacity: number) {
    const { kernels, arena, architecture, rotation } = model;
    const { rank } = adapter.settings;
    this.#model = model;
    this.#capacity = capacity;
    this.#at = allocateBuffers(arena, architecture, { capacity, rank });
    this.#context = { kernels, architecture, adapter, rotation, at: this.#at };
  }

  /** Returns the log-probability and the entropy at each place. */
  forward(pack: Pack): { logprobs: Float32Array; entropies: Float32Array } {
    const { kernels, arena, architecture, weights } = this.#model;
    const { width, epsilon } = architecture;
    const at = this.#at;
    const count = pack.ids.length;
    if (count > this.#capacity)
      throw new RangeError(`A pack of ${count} tokens exceeds the capacity of ${this.#capacity}.`);
    this.#pack = pack;
    arena.ints(at.ids, count).set(pack.ids);
    arena.ints(at.positions, count).set(positionsOf(pack.lengths));
    kernels.gather(count, width, weights.embedding, at.ids, at.x);
    for (const [index, layer] of weights.layers.entries()) {
      arena.floats(at.before[index]!, count * width).set(arena.floats(at.x, count * width));
      forwardLayer(this.#context, index, layer, pack.lengths);
    }
    const places = pack.places.length;
    arena.ints(at.places, places).set(pack.places);
    arena.ints(at.targets, places).set(pack.targets);
    kernels.gather(places, width, at.x, at.places, at.dx);
    kernels.normalize(places, width, epsilon, at.dx, at.last, at.lastInverse);
    for (const [first, rows] of chunks(places)) this.#logits(first, rows, pack.temperature);
    return {
      logprobs: arena.floats(at.logprobs, places).slice(),
      entropies: arena.floats(at.entropies, places).slice(),
    };
  }

  /** Adds to the adapter's gradients, given the gradient of each log-probability and entropy. */
  backward(gradLogprobs: Float32Array, gradEntropies: Float32Array): void {
    const pack = this.#pack;
    if (pack === undefined) throw new Error("Call forward() before backward().");
    const { arena, architecture, weights } = this.#model;
    const { width } = architecture;
    const at = this.#at;
    const count = pack.ids.length;
    arena.floats(at.gradLogprobs, pack.places.length).set(gradLogprobs);
    arena.floats(at.gradEntropies, pack.places.length).set(gradEntropies);
    arena.floats(at.dx, count * width).fill(0);
    for (const [first, rows] of chunks(pack.places.length))
      this.#logitsBackward(first, rows, pack.temperature);
    for (let index = weights.layers.length - 1; index >= 0; index -= 1) {
      arena.floats(at.x, count * width).set(arena.floats(at.before[index]!, count * width));
      forwardLayer(this.#context, index, weights.layers[index]!, pack.lengths);
      backwardLayer(this.#context, index, weights.layers[index]!, pack.lengths);
    }
  }

  /** Computes the logits of some places, and from them log-probabilities and entropies. */
  #logits(first: number, rows: number, temperature: number): void {
    const { kernels, architecture, weights } = this.#model;
    const { width, vocabulary } = architecture;
    const at = this.#at;
    const offset = first * 4;
    kernels.scaleColumns(rows, width, at.last + offset * width, weights.gain, at.normal);
    project(kernels, { rows, from: at.normal, by: weights.head, to: at.logits });
    kernels.logSoftmax(
      rows,
      vocabulary,
      weights.head.columns,
      at.logits,
      1 / temperature,
      at.targets + offset,
      at.logNormalizers + offset,
      at.logprobs + offset,
      at.entropies + offset,
    );
  }

  /** Computes the logits of some places again, and adds to the gradient of the residual stream. */
  #logitsBackward(first: number, rows: number, temperature: number): void {
    const { kernels, arena, architecture, weights } = this.#model;
    const { width, vocabulary } = architecture;
    const at = this.#at;
    const offset = first * 4;
    this.#logits(first, rows, temperature);
    const { columns } = weights.head;
    kernels.logSoftmaxBackward(
      rows,
      columns,
      at.logits,
      1 / temperature,
      at.targets + offset,
      at.logNormalizers + offset,
      at.entropies + offset,
      at.gradLogprobs + offset,
      at.gradEntropies + offset,
    );
    multiply(kernels, {
      rows,
      columns: width,
      inner: vocabulary,
      left: dense(at.logits, columns),
      right: dense(weights.head.natural, width),
      to: dense(at.dy, width),
    });
    kernels.scaleColumns(rows, width, at.dy, weights.gain, at.dy);
    const gradient = arena.floats(at.dqkv, rows * width);
    gradient.fill(0);
    kernels.normalizeBackward(
      rows,
      width,
      at.dy,
      at.last + offset * width,
      at.lastInverse + offset,
      at.dqkv,
    );
    kernels.scatterAdd(rows, width, at.dx, at.places + offset, at.dqkv);
  }
}

/** The first place and the number of places of each part. */
function chunks(count: number): readonly (readonly [first: number, rows: number])[] {
  return Array.from({ length: Math.ceil(count / logitRows) }, (_, index) => {
    const first = index * logitRows;
    return [first, Math.min(logitRows, count - first)];
  });
}
