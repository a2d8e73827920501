import { allocateBuffers, type Buffers } from "./buffers.ts";
import type { Engine } from "./engine.ts";
import { accumulate, matmul, matmulBackward, store } from "./matmul.ts";
import { forEachSequence, positionsOf } from "./sequences.ts";
import { epsilon, padded } from "./shape.ts";
import type { Matrix } from "./weights.ts";

/** Concatenated sequences, and the positions whose targets are evaluated. */
export interface Pack {
  readonly lengths: readonly number[];
  readonly ids: Int32Array;
  /** Indices into `ids`, ascending. */
  readonly places: Int32Array;
  /** The target token of each place. */
  readonly targets: Int32Array;
  /** Divides the logits. */
  readonly temperature: number;
}

/**
 * A decoder-only transformer, forward and backward over packed sequences: normalised embeddings; in each layer causal
 * attention with rotary positions and an MLP with squared ReLU, each with a pre-norm (RMS norm without gain) and a
 * residual connection; a final norm; an untied head.
 */
export class Transformer {
  readonly #engine: Engine;
  readonly #buffers: Buffers;
  readonly #capacity: number;
  #pack: Pack | undefined;

  /** `capacity`: maximum number of tokens per pack. */
  constructor(engine: Engine, capacity: number) {
    this.#engine = engine;
    this.#capacity = capacity;
    this.#buffers = allocateBuffers(engine, capacity);
  }

  /** Returns the log-probability and the entropy at each place. */
  forward(pack: Pack): { logprobs: Float32Array; entropies: Float32Array } {
    const { kernels, arena, shape, weights } = this.#engine;
    const { width, hidden } = shape;
    const at = this.#buffers;
    const count = pack.ids.length;
    if (count > this.#capacity)
      throw new RangeError(`A pack of ${count} tokens exceeds the capacity of ${this.#capacity}.`);
    this.#pack = pack;
    arena.ints(at.ids, count).set(pack.ids);
    arena.ints(at.positions, count).set(positionsOf(pack.lengths));

    kernels.gather(count, width, weights.matrix("embedding").weight, at.ids, at.dx);
    kernels.normalize(count, width, epsilon, at.dx, at.embedded, at.inverse);
    arena.floats(at.x, count * width).set(arena.floats(at.embedded, count * width));
    at.layers.forEach((layer, index) => {
      const matrix = (name: string): Matrix => weights.matrix(`layers.${index}.${name}`);
      kernels.normalize(count, width, epsilon, at.x, layer.normal1, layer.inverse1);
      matmul(kernels, count, {
        from: layer.normal1,
        by: matrix("qkv"),
        to: layer.qkv,
        flags: store,
      });
      this.#rotate(count, layer.qkv, 1);
      forEachSequence(pack.lengths, shape.heads, (length, first, weight) => {
        const { heads } = shape;
        kernels.attention(
          length,
          padded(length),
          heads,
          heads,
          width / heads,
          layer.qkv + first * 3 * width * 4,
          layer.p + weight * 4,
          layer.mixed + first * width * 4,
          at.scratch,
        );
      });
      matmul(kernels, count, { from: layer.mixed, by: matrix("out"), to: at.x, flags: accumulate });
      kernels.normalize(count, width, epsilon, at.x, layer.normal2, layer.inverse2);
      matmul(kernels, count, { from: layer.normal2, by: matrix("up"), to: layer.up, flags: store });
      kernels.squaredRelu(count * hidden, layer.up, layer.active);
      matmul(kernels, count, {
        from: layer.active,
        by: matrix("down"),
        to: at.x,
        flags: accumulate,
      });
    });
    return this.#projectToVocabulary(pack);
  }

  /** Computes logits only at the pack's places. */
  #projectToVocabulary({ places, targets, temperature }: Pack): {
    logprobs: Float32Array;
    entropies: Float32Array;
  } {
    const { kernels, arena, shape, weights } = this.#engine;
    const at = this.#buffers;
    const count = places.length;
    arena.ints(at.places, count).set(places);
    arena.ints(at.targets, count).set(targets);
    kernels.gather(count, shape.width, at.x, at.places, at.dx);
    kernels.normalize(count, shape.width, epsilon, at.dx, at.last, at.lastInverse);
    const head = weights.matrix("head");
    matmul(kernels, count, { from: at.last, by: head, to: at.logits, flags: store });
    kernels.logSoftmax(
      count,
      shape.vocabulary,
      head.columns,
      at.logits,
      1 / temperature,
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

  /** Accumulates the gradients of the weights, given the gradient of each log-probability and entropy. */
  backward(gradLogprobs: Float32Array, gradEntropies: Float32Array): void {
    const pack = this.#pack;
    if (pack === undefined) throw new Error("Call forward() before backward().");
    const { kernels, arena, shape, weights } = this.#engine;
    const { width, heads, hidden } = shape;
    const at = this.#buffers;
    const count = pack.ids.length;
    weights.updateTransposes();
    this.#projectToVocabularyBackward(pack, gradLogprobs, gradEntropies);
    for (let index = shape.layers - 1; index >= 0; index -= 1) {
      const layer = at.layers[index]!;
      const matrix = (name: string): Matrix => weights.matrix(`layers.${index}.${name}`);
      matmulBackward(kernels, count, {
        gradient: at.dx,
        by: matrix("down"),
        from: layer.active,
        to: at.dhidden,
      });
      kernels.squaredReluBackward(count * hidden, layer.up, at.dhidden);
      matmulBackward(kernels, count, {
        gradient: at.dhidden,
        by: matrix("up"),
        from: layer.normal2,
        to: at.dy,
      });
      kernels.normalizeBackward(count, width, at.dy, layer.normal2, layer.inverse2, at.dx);
      matmulBackward(kernels, count, {
        gradient: at.dx,
        by: matrix("out"),
        from: layer.mixed,
        to: at.dy,
      });
      forEachSequence(pack.lengths, shape.heads, (length, first, weight) => {
        kernels.attentionBackward(
          length,
          padded(length),
          heads,
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
      matmulBackward(kernels, count, {
        gradient: at.dqkv,
        by: matrix("qkv"),
        from: layer.normal1,
        to: at.dy,
      });
      kernels.normalizeBackward(count, width, at.dy, layer.normal1, layer.inverse1, at.dx);
    }
    arena.floats(at.dy, count * width).fill(0);
    kernels.normalizeBackward(count, width, at.dx, at.embedded, at.inverse, at.dy);
    kernels.scatterAdd(count, width, weights.matrix("embedding").gradient, at.ids, at.dy);
  }

  #projectToVocabularyBackward(
    { ids, places, temperature }: Pack,
    gradLogprobs: Float32Array,
    gradEntropies: Float32Array,
  ): void {
    const { kernels, arena, shape, weights } = this.#engine;
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
      1 / temperature,
      at.targets,
      at.logNormalizers,
      at.entropies,
      at.gradLogprobs,
      at.gradEntropies,
    );
    matmulBackward(kernels, count, { gradient: at.logits, by: head, from: at.last, to: at.dy });
    arena.floats(at.dqkv, count * width).fill(0);
    kernels.normalizeBackward(count, width, at.dy, at.last, at.lastInverse, at.dqkv);
    arena.floats(at.dx, ids.length * width).fill(0);
    kernels.scatterAdd(count, width, at.dx, at.places, at.dqkv);
  }

  #rotate(count: number, qkv: number, sign: 1 | -1): void {
    const { kernels, shape, rotation } = this.#engine;
    const { width, heads } = shape;
    const { cosines, sines } = rotation;
    const half = width / heads / 2;
    // Queries and keys are adjacent, so one call rotates them as twice as many heads.
    const { positions } = this.#buffers;
    kernels.rotate(count, 2 * heads, half, qkv, 3 * width * 4, positions, cosines, sines, sign);
  }
}
