import type { ModelParts } from "./model-parts.ts";
import { accumulate, multiply, store } from "./product.ts";
import { padded } from "./shape.ts";
import type { Matrix } from "./weights.ts";

/** One token to read: what it is, whose conversation it belongs to, and where it stands there. */
export interface Step {
  readonly id: number;
  readonly slot: number;
  readonly position: number;
  /** Whether the distribution of what follows is wanted. */
  readonly isLast: boolean;
  readonly temperature: number;
}

/** The inverse of a temperature so low that any lower is the same; beyond single precision, it would give NaN. */
const coldest = 1e30;

/** Reads tokens of many conversations at once, and remembers keys and values of each in a slot of its own. */
export class Decoder {
  readonly slots: number;
  /** The most tokens of one `read`. */
  readonly capacity: number;
  readonly #model: ModelParts;
  readonly #context: number;
  readonly #slotBytes: number;
  readonly #caches: readonly number[];
  readonly #at: Readonly<Record<BufferName, number>>;

  constructor(model: ModelParts, { slots, capacity }: { slots: number; capacity: number }) {
    const { arena, shape } = model;
    const { width, hidden, vocabulary, layers } = shape;
    this.#model = model;
    this.slots = slots;
    this.capacity = capacity;
    this.#context = padded(shape.context);
    const slotSize = 2 * width * this.#context;
    this.#slotBytes = slotSize * 4;
    this.#caches = Array.from({ length: layers }, () => arena.allocate(slots * slotSize));
    const each = (numbers: number): number => arena.allocate(capacity * numbers);
    this.#at = {
      ids: each(1),
      slots: each(1),
      positions: each(1),
      chosen: each(1),
      all: each(1),
      inverseTemperatures: each(1),
      inverse: each(1),
      x: each(width),
      normal: each(width),
      qkv: each(3 * width),
      mixed: each(width),
      active: each(hidden),
      logits: each(padded(vocabulary)),
      scratch: arena.allocate(this.#context),
    };
    const all = arena.ints(this.#at.all, capacity);
    for (let row = 0; row < capacity; row += 1) all[row] = row;
  }

  /** The probabilities of what follows each last step, one row of `columns` numbers each; valid until the next call. */
  read(steps: readonly Step[]): { rows: Float32Array; columns: number } {
    const { kernels, arena, shape, weights } = this.#model;
    const { width, vocabulary } = shape;
    const at = this.#at;
    if (steps.length > this.capacity)
      throw new RangeError(`${steps.length} tokens exceed the capacity of ${this.capacity}.`);
    const last = steps.flatMap((step, row) => (step.isLast ? [row] : []));
    this.#write(steps, last);
    kernels.gather(steps.length, width, weights.matrix("embedding").weight, at.ids, at.normal);
    kernels.normalize(steps.length, width, at.normal, at.x, at.inverse);
    let rows = steps.length;
    for (let index = 0; index < shape.layers; index += 1) {
      const isTop = index === shape.layers - 1;
      rows = this.#layer(index, rows, isTop && last.length < rows ? last.length : undefined);
    }
    const head = weights.matrix("head");
    if (rows > 0) {
      kernels.normalize(rows, width, at.x, at.normal, at.inverse);
      multiply(kernels, rows, { from: at.normal, by: head, to: at.logits, flags: store });
      kernels.probabilities(rows, vocabulary, head.columns, at.logits, at.inverseTemperatures);
    }
    return { rows: arena.floats(at.logits, rows * head.columns), columns: head.columns };
  }

  #write(steps: readonly Step[], last: readonly number[]): void {
    const { arena } = this.#model;
    const at = this.#at;
    const ids = arena.ints(at.ids, steps.length);
    const slots = arena.ints(at.slots, steps.length);
    const positions = arena.ints(at.positions, steps.length);
    steps.forEach((step, row) => {
      ids[row] = step.id;
      slots[row] = step.slot;
      positions[row] = step.position;
    });
    arena.ints(at.chosen, last.length).set(last);
    const inverses = arena.floats(at.inverseTemperatures, last.length);
    last.forEach((row, index) => {
      const { temperature } = steps[row]!;
      inverses[index] = temperature === 0 ? 1 : Math.min(1 / temperature, coldest);
    });
  }

  /** In the top layer only the last steps go on: nobody reads what comes of the others. Returns how many go on. */
  #layer(index: number, rows: number, onlyLast: number | undefined): number {
    const { kernels, arena, shape, weights, rotation } = this.#model;
    const { width, heads, hidden } = shape;
    const at = this.#at;
    const size = width / heads;
    const of = (name: string): Matrix => weights.matrix(`layers.${index}.${name}`);
    const cache = this.#caches[index]!;
    kernels.normalize(rows, width, at.x, at.normal, at.inverse);
    multiply(kernels, rows, { from: at.normal, by: of("qkv"), to: at.qkv, flags: store });
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
    kernels.remember(
      rows,
      width,
      this.#context,
      at.qkv,
      cache,
      this.#slotBytes,
      at.slots,
      at.positions,
    );
    const left = onlyLast ?? rows;
    const chosen = onlyLast === undefined ? at.all : at.chosen;
    kernels.recall(
      left,
      chosen,
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
      kernels.gather(left, width, at.x, chosen, at.normal);
      arena.floats(at.x, left * width).set(arena.floats(at.normal, left * width));
    }
    multiply(kernels, left, { from: at.mixed, by: of("out"), to: at.x, flags: accumulate });
    kernels.normalize(left, width, at.x, at.normal, at.inverse);
    multiply(kernels, left, { from: at.normal, by: of("up"), to: at.active, flags: store });
    kernels.squaredRelu(left * hidden, at.active, at.active);
    multiply(kernels, left, { from: at.active, by: of("down"), to: at.x, flags: accumulate });
    return left;
  }
}

type BufferName =
  | "ids"
  | "slots"
  | "positions"
  | "chosen"
  | "all"
  | "inverseTemperatures"
  | "inverse"
  | "x"
  | "normal"
  | "qkv"
  | "mixed"
  | "active"
  | "logits"
  | "scratch";
