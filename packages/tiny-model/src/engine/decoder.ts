import { type DecodeStep, writeSteps } from "./decode-steps.ts";
import type { Engine } from "./engine.ts";
import { accumulate, matmul, store } from "./matmul.ts";
import { epsilon, padded } from "./shape.ts";
import type { Matrix } from "./weights.ts";

/** Reads tokens of many conversations in one batch. Each conversation has a slot, which caches its keys and values. */
export class Decoder {
  readonly slots: number;
  /** Maximum number of tokens per `read`. */
  readonly capacity: number;
  readonly #engine: Engine;
  readonly #context: number;
  readonly #slotBytes: number;
  readonly #caches: readonly number[];
  readonly #at: ReturnType<typeof allocateBuffers>;

  constructor(engine: Engine, { slots, capacity }: { slots: number; capacity: number }) {
    const { arena, shape } = engine;
    const { width, layers } = shape;
    this.#engine = engine;
    this.slots = slots;
    this.capacity = capacity;
    this.#context = padded(shape.context);
    const slotSize = 2 * width * this.#context;
    this.#slotBytes = slotSize * 4;
    this.#caches = Array.from({ length: layers }, () => arena.allocate(slots * slotSize));
    this.#at = allocateBuffers(engine, capacity);
    const all = arena.ints(this.#at.all, capacity);
    for (let row = 0; row < capacity; row += 1) all[row] = row;
  }

  /** Returns the next-token probabilities for each last step: one row of `columns` numbers per step, valid until the next call. */
  read(steps: readonly DecodeStep[]): { rows: Float32Array; columns: number } {
    const { kernels, arena, shape, weights } = this.#engine;
    const { width, vocabulary } = shape;
    const at = this.#at;
    if (steps.length > this.capacity)
      throw new RangeError(`${steps.length} tokens exceed the capacity of ${this.capacity}.`);
    const last = writeSteps(arena, at, steps);
    kernels.gather(steps.length, width, weights.matrix("embedding").weight, at.ids, at.normal);
    kernels.normalize(steps.length, width, epsilon, at.normal, at.x, at.inverse);
    let rows = steps.length;
    for (let index = 0; index < shape.layers; index += 1) {
      const isTop = index === shape.layers - 1;
      rows = this.#layer(index, rows, isTop && last < rows ? last : undefined);
    }
    const head = weights.matrix("head");
    if (rows > 0) {
      kernels.normalize(rows, width, epsilon, at.x, at.normal, at.inverse);
      matmul(kernels, rows, { from: at.normal, by: head, to: at.logits, flags: store });
      kernels.probabilities(rows, vocabulary, head.columns, at.logits, at.inverseTemperatures);
    }
    return { rows: arena.floats(at.logits, rows * head.columns), columns: head.columns };
  }

  /** In the top layer only the last steps continue, because only they need logits. Returns the number of remaining rows. */
  #layer(index: number, rows: number, onlyLast: number | undefined): number {
    const { kernels, arena, shape, weights, rotation } = this.#engine;
    const { width, heads, hidden } = shape;
    const at = this.#at;
    const size = width / heads;
    const matrix = (name: string): Matrix => weights.matrix(`layers.${index}.${name}`);
    const cache = this.#caches[index]!;
    kernels.normalize(rows, width, epsilon, at.x, at.normal, at.inverse);
    matmul(kernels, rows, { from: at.normal, by: matrix("qkv"), to: at.qkv, flags: store });
    const { cosines, sines } = rotation;
    kernels.rotate(
      rows,
      2 * heads,
      size / 2,
      at.qkv,
      3 * width * 4,
      at.positions,
      cosines,
      sines,
      1,
    );
    kernels.writeCache(
      rows,
      heads,
      heads,
      size,
      this.#context,
      at.qkv,
      cache,
      this.#slotBytes,
      at.slots,
      at.positions,
    );
    const remaining = onlyLast ?? rows;
    const chosen = onlyLast === undefined ? at.all : at.chosen;
    kernels.cachedAttention(
      remaining,
      chosen,
      heads,
      heads,
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
    if (onlyLast !== undefined) {
      kernels.gather(remaining, width, at.x, chosen, at.normal);
      arena.floats(at.x, remaining * width).set(arena.floats(at.normal, remaining * width));
    }
    matmul(kernels, remaining, { from: at.mixed, by: matrix("out"), to: at.x, flags: accumulate });
    kernels.normalize(remaining, width, epsilon, at.x, at.normal, at.inverse);
    matmul(kernels, remaining, { from: at.normal, by: matrix("up"), to: at.active, flags: store });
    kernels.squaredRelu(remaining * hidden, at.active, at.active);
    matmul(kernels, remaining, {
      from: at.active,
      by: matrix("down"),
      to: at.x,
      flags: accumulate,
    });
    return remaining;
  }
}

/** Addresses of the numbers that one call of `read` computes. */
function allocateBuffers({ arena, shape }: Engine, capacity: number) {
  const { width, hidden, vocabulary, context } = shape;
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
    qkv: perToken(3 * width),
    mixed: perToken(width),
    active: perToken(hidden),
    logits: perToken(padded(vocabulary)),
    scratch: arena.allocate(padded(context)),
  };
}
