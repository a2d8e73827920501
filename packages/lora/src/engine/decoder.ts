import { type DecodeStep, padded, type StepReader, writeSteps } from "@envs/tiny-model/engine";

import type { Adapter } from "../adapter/adapter.ts";
import type { Projection } from "../model/architecture.ts";
import type { LayerWeights } from "../model/frozen-weights.ts";
import { project } from "../model/products.ts";
import { gateUpColumns, qkvColumns } from "./layer.ts";
import type { LoadedModel } from "./transformer.ts";

interface AdaptedRows {
  readonly rows: number;
  readonly x: number;
  readonly y: number;
  readonly strideY: number;
}

interface DecoderSize {
  /** Number of conversations whose keys and values are cached. */
  readonly slots: number;
  /** Maximum number of tokens per `read`. */
  readonly capacity: number;
  /** Maximum length of a conversation. */
  readonly context: number;
}

/** Reads tokens of many conversations in one batch. Each conversation has a slot, which caches its keys and values. */
export class Decoder implements StepReader {
  readonly slots: number;
  readonly capacity: number;
  readonly #model: LoadedModel;
  readonly #adapter: Adapter;
  readonly #context: number;
  readonly #slotBytes: number;
  readonly #caches: readonly number[];
  readonly #at: ReturnType<typeof allocateBuffers>;

  constructor(model: LoadedModel, adapter: Adapter, { slots, capacity, context }: DecoderSize) {
    const { arena, architecture } = model;
    const { pairs, size, layers } = architecture;
    this.slots = slots;
    this.capacity = capacity;
    this.#model = model;
    this.#adapter = adapter;
    this.#context = padded(context);
    const slotSize = 2 * pairs * size * this.#context;
    this.#slotBytes = slotSize * 4;
    this.#caches = Array.from({ length: layers }, () => arena.allocate(slots * slotSize));
    this.#at = allocateBuffers(model, adapter.settings.rank, { capacity, context: this.#context });
    const all = arena.ints(this.#at.all, capacity);
    for (let row = 0; row < capacity; row += 1) all[row] = row;
  }

  read(steps: readonly DecodeStep[]): { rows: Float32Array; columns: number } {
    const { kernels, arena, architecture, weights } = this.#model;
    const { width, vocabulary, epsilon } = architecture;
    const at = this.#at;
    if (steps.length > this.capacity)
      throw new RangeError(`${steps.length} tokens exceed the capacity of ${this.capacity}.`);
    const last = writeSteps(arena, at, steps);
    kernels.gather(steps.length, width, weights.embedding, at.ids, at.x);
    for (const [index, layer] of weights.layers.entries()) this.#layer(index, layer, steps.length);
    const { columns } = weights.head;
    if (last > 0) {
      kernels.gather(last, width, at.x, at.chosen, at.mixed);
      kernels.normalize(last, width, epsilon, at.mixed, at.normal, at.inverse);
      kernels.scaleColumns(last, width, at.normal, weights.gain, at.normal);
      project(kernels, { rows: last, from: at.normal, by: weights.head, to: at.logits });
      kernels.probabilities(last, vocabulary, columns, at.logits, at.inverseTemperatures);
    }
    return { rows: arena.floats(at.logits, last * columns), columns };
  }

  copy(from: number, to: number): void {
    const { arena } = this.#model;
    const count = this.#slotBytes / 4;
    for (const cache of this.#caches)
      arena
        .floats(cache + to * this.#slotBytes, count)
        .set(arena.floats(cache + from * this.#slotBytes, count));
  }

  #layer(index: number, weights: LayerWeights, rows: number): void {
    const { kernels, architecture, rotation } = this.#model;
    const { width, heads, pairs, size, hidden, epsilon } = architecture;
    const at = this.#at;
    const rowQkv = weights.qkv.columns * 4;
    const cache = this.#caches[index]!;
    kernels.normalize(rows, width, epsilon, at.x, at.normal, at.inverse);
    kernels.scaleColumns(rows, width, at.normal, weights.gain1, at.normal);
    project(kernels, { rows, from: at.normal, by: weights.qkv, to: at.qkv });
    if (weights.bias !== undefined)
      kernels.addToRows(rows, weights.qkv.columns, at.qkv, weights.bias);
    for (const [projection, column] of qkvColumns(architecture))
      this.#adapt(index, projection, {
        rows,
        x: at.normal,
        y: at.qkv + column * 4,
        strideY: rowQkv,
      });
    const { cosines, sines } = rotation;
    kernels.rotate(rows, heads + pairs, size / 2, at.qkv, rowQkv, at.positions, cosines, sines, 1);
    kernels.writeCache(
      rows,
      heads,
      pairs,
      size,
      this.#context,
      at.qkv,
      cache,
      this.#slotBytes,
      at.slots,
      at.positions,
    );
    kernels.cachedAttention(
      rows,
      at.all,
      heads,
      pairs,
      size,
      this.#context,
      at.qkv,
      cache,
      this.#slotBytes,
      at.slots,
      at.positions,
      at.mixed,
      at.scratch,
    );
    project(kernels, { rows, from: at.mixed, by: weights.out, to: at.x, adds: true });
    this.#adapt(index, "o_proj", { rows, x: at.mixed, y: at.x, strideY: width * 4 });
    kernels.normalize(rows, width, epsilon, at.x, at.normal, at.inverse);
    kernels.scaleColumns(rows, width, at.normal, weights.gain2, at.normal);
    project(kernels, { rows, from: at.normal, by: weights.gateUp, to: at.gateUp });
    for (const [projection, column] of gateUpColumns(architecture))
      this.#adapt(index, projection, {
        rows,
        x: at.normal,
        y: at.gateUp + column * 4,
        strideY: 2 * hidden * 4,
      });
    kernels.gate(rows, hidden, at.gateUp, at.h);
    project(kernels, { rows, from: at.h, by: weights.down, to: at.x, adds: true });
    this.#adapt(index, "down_proj", { rows, x: at.h, y: at.x, strideY: width * 4 });
  }

  #adapt(layer: number, projection: Projection, { rows, ...io }: AdaptedRows): void {
    const pair = this.#adapter.pair(layer, projection);
    if (pair !== undefined) this.#adapter.apply(rows, pair, { ...io, t: this.#at.t });
  }
}

/** Addresses of the numbers that one call of `read` computes. */
function allocateBuffers(
  { arena, architecture, weights }: LoadedModel,
  rank: number,
  { capacity, context }: { readonly capacity: number; readonly context: number },
) {
  const { width, heads, pairs, size, hidden } = architecture;
  const perToken = (numbers: number): number => arena.allocate(capacity * numbers);
  return {
    ids: perToken(1),
    slots: perToken(1),
    positions: perToken(1),
    chosen: perToken(1),
    all: perToken(1),
    inverseTemperatures: perToken(1),
    inverse: perToken(1),
    x: perToken(width),
    normal: perToken(width),
    qkv: perToken((heads + 2 * pairs) * size),
    mixed: perToken(Math.max(width, heads * size)),
    gateUp: perToken(2 * hidden),
    h: perToken(hidden),
    t: perToken(rank),
    logits: perToken(weights.head.columns),
    scratch: arena.allocate(context),
  };
}
