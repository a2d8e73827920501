import { type Buffers, buffersOf } from "./buffers.ts";
import type { ModelParts } from "./model-parts.ts";
import { accumulate, multiply, multiplyBackward, store } from "./product.ts";
import { padded } from "./shape.ts";
import type { Matrix } from "./weights.ts";

/** Sequences laid end to end, and the places among them whose targets count. */
export interface Pack {
  readonly lengths: readonly number[];
  readonly ids: Int32Array;
  /** Places in `ids` that are trained on, ascending. */
  readonly places: Int32Array;
  /** One target for each of `places`. */
  readonly targets: Int32Array;
}

/**
 * A decoder-only transformer, forward and backward over packed sequences: embeddings, normalised; in each layer causal
 * attention with rotary positions and an MLP with squared ReLU, each behind an RMS norm without gain and added to what
 * came in; a last norm; an untied head.
 */
export class Transformer {
  readonly #model: ModelParts;
  readonly #buffers: Buffers;
  readonly #capacity: number;
  #pack: Pack | undefined;
  #inverseTemperature = 1;

  /** `capacity`: the most tokens of one pack. */
  constructor(model: ModelParts, capacity: number) {
    this.#model = model;
    this.#capacity = capacity;
    this.#buffers = buffersOf(model, capacity);
  }

  /** Log-probability and entropy of each target. */
  forward(pack: Pack, temperature: number): { logprobs: Float32Array; entropies: Float32Array } {
    const { kernels, arena, shape, weights } = this.#model;
    const { width, hidden } = shape;
    const at = this.#buffers;
    const count = pack.ids.length;
    if (count > this.#capacity)
      throw new RangeError(`A pack of ${count} tokens exceeds the capacity of ${this.#capacity}.`);
    this.#pack = pack;
    this.#inverseTemperature = 1 / temperature;
    arena.ints(at.ids, count).set(pack.ids);
    const positions = arena.ints(at.positions, count);
    let start = 0;
    for (const length of pack.lengths) {
      for (let position = 0; position < length; position += 1)
        positions[start + position] = position;
      start += length;
    }

    kernels.gather(count, width, weights.matrix("embedding").weight, at.ids, at.dx);
    kernels.normalize(count, width, at.dx, at.embedded, at.inverse);
    arena.floats(at.x, count * width).set(arena.floats(at.embedded, count * width));
    at.layers.forEach((layer, index) => {
      const of = (name: string): Matrix => weights.matrix(`layers.${index}.${name}`);
      kernels.normalize(count, width, at.x, layer.normal1, layer.inverse1);
      multiply(kernels, count, { from: layer.normal1, by: of("qkv"), to: layer.qkv, flags: store });
      this.#rotate(count, layer.qkv, 1);
      this.#eachSequence((length, first, weight) => {
        const { heads } = shape;
        kernels.attention(
          length,
          padded(length),
          heads,
          width / heads,
          layer.qkv + first * 3 * width * 4,
          layer.p + weight * 4,
          layer.mixed + first * width * 4,
          at.scratch,
        );
      });
      multiply(kernels, count, { from: layer.mixed, by: of("out"), to: at.x, flags: accumulate });
      kernels.normalize(count, width, at.x, layer.normal2, layer.inverse2);
      multiply(kernels, count, { from: layer.normal2, by: of("up"), to: layer.up, flags: store });
      kernels.squaredRelu(count * hidden, layer.up, layer.active);
      multiply(kernels, count, { from: layer.active, by: of("down"), to: at.x, flags: accumulate });
    });
    return this.#readOut(pack);
  }

  /** Only the places that count get logits. */
  #readOut({ places, targets }: Pack): { logprobs: Float32Array; entropies: Float32Array } {
    const { kernels, arena, shape, weights } = this.#model;
    const at = this.#buffers;
    const count = places.length;
    arena.ints(at.places, count).set(places);
    arena.ints(at.targets, count).set(targets);
    kernels.gather(count, shape.width, at.x, at.places, at.dx);
    kernels.normalize(count, shape.width, at.dx, at.last, at.lastInverse);
    const head = weights.matrix("head");
    multiply(kernels, count, { from: at.last, by: head, to: at.logits, flags: store });
    kernels.logSoftmax(
      count,
      shape.vocabulary,
      head.columns,
      at.logits,
      this.#inverseTemperature,
      at.targets,
      at.logNormalizers,
      at.logprobs,
      at.entropies,
    );
    return {
      logprobs: arena.floats(at.logprobs, count).slice(),
      entropies: arena.floats(at.entropies, count).slice(),
    };
  }

  /** Adds to the gradients, from those of each target's log-probability and entropy. */
  backward(gradLogprobs: Float32Array, gradEntropies: Float32Array): void {
    const pack = this.#pack;
    if (pack === undefined) throw new Error("There is no way back before the way forward.");
    const { kernels, arena, shape, weights } = this.#model;
    const { width, heads, hidden } = shape;
    const at = this.#buffers;
    const count = pack.ids.length;
    weights.transpose();
    this.#readOutBackward(pack, gradLogprobs, gradEntropies);
    for (let index = shape.layers - 1; index >= 0; index -= 1) {
      const layer = at.layers[index]!;
      const of = (name: string): Matrix => weights.matrix(`layers.${index}.${name}`);
      multiplyBackward(kernels, count, {
        gradient: at.dx,
        by: of("down"),
        from: layer.active,
        to: at.dhidden,
      });
      kernels.squaredReluBackward(count * hidden, layer.up, at.dhidden);
      multiplyBackward(kernels, count, {
        gradient: at.dhidden,
        by: of("up"),
        from: layer.normal2,
        to: at.dy,
      });
      kernels.normalizeBackward(count, width, at.dy, layer.normal2, layer.inverse2, at.dx);
      multiplyBackward(kernels, count, {
        gradient: at.dx,
        by: of("out"),
        from: layer.mixed,
        to: at.dy,
      });
      this.#eachSequence((length, first, weight) => {
        kernels.attentionBackward(
          length,
          padded(length),
          heads,
          width / heads,
          layer.qkv + first * 3 * width * 4,
          layer.p + weight * 4,
          at.dy + first * width * 4,
          at.dqkv + first * 3 * width * 4,
          at.dp,
          at.scratch,
        );
      });
      this.#rotate(count, at.dqkv, -1);
      multiplyBackward(kernels, count, {
        gradient: at.dqkv,
        by: of("qkv"),
        from: layer.normal1,
        to: at.dy,
      });
      kernels.normalizeBackward(count, width, at.dy, layer.normal1, layer.inverse1, at.dx);
    }
    arena.floats(at.dy, count * width).fill(0);
    kernels.normalizeBackward(count, width, at.dx, at.embedded, at.inverse, at.dy);
    kernels.scatterAdd(count, width, weights.matrix("embedding").gradient, at.ids, at.dy);
  }

  #readOutBackward(
    { ids, places }: Pack,
    gradLogprobs: Float32Array,
    gradEntropies: Float32Array,
  ): void {
    const { kernels, arena, shape, weights } = this.#model;
    const { width } = shape;
    const at = this.#buffers;
    const count = places.length;
    const head = weights.matrix("head");
    arena.floats(at.gradLogprobs, count).set(gradLogprobs);
    arena.floats(at.gradEntropies, count).set(gradEntropies);
    kernels.logSoftmaxBackward(
      count,
      head.columns,
      at.logits,
      this.#inverseTemperature,
      at.targets,
      at.logNormalizers,
      at.entropies,
      at.gradLogprobs,
      at.gradEntropies,
    );
    multiplyBackward(kernels, count, { gradient: at.logits, by: head, from: at.last, to: at.dy });
    arena.floats(at.dqkv, count * width).fill(0);
    kernels.normalizeBackward(count, width, at.dy, at.last, at.lastInverse, at.dqkv);
    arena.floats(at.dx, ids.length * width).fill(0);
    kernels.scatterAdd(count, width, at.dx, at.places, at.dqkv);
  }

  #rotate(count: number, qkv: number, sign: 1 | -1): void {
    const { kernels, shape, rotation } = this.#model;
    const { width, heads } = shape;
    const { cosines, sines } = rotation;
    const half = width / heads / 2;
    // Queries and keys lie side by side, as if there were twice as many heads.
    const { positions } = this.#buffers;
    kernels.rotate(count, 2 * heads, half, qkv, 3 * width * 4, positions, cosines, sines, sign);
  }

  /** Calls with each sequence's length, first place, and where its attention weights start. */
  #eachSequence(visit: (length: number, first: number, weight: number) => void): void {
    let first = 0;
    let weight = 0;
    for (const length of this.#pack?.lengths ?? []) {
      visit(length, first, weight);
      first += length;
      weight += this.#model.shape.heads * length * padded(length);
    }
  }
}
