import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { padded } from "../../src/engine/shape.ts";
import { dot, rowsOf, referenceAttention } from "./reference-math.ts";
import {
  builds,
  ScratchMemory,
  differences,
  distance,
  numbers,
  type Block,
} from "./scratch-memory.ts";

interface Sizes {
  readonly length: number;
  /** Of keys and values. */
  readonly pairs: number;
  /** Of queries for each pair. */
  readonly group: number;
  readonly size: number;
  readonly seed: number;
}

const sizes: fc.Arbitrary<Sizes> = fc.record({
  length: fc.integer({ min: 1, max: 29 }),
  pairs: fc.integer({ min: 1, max: 3 }),
  group: fc.integer({ min: 1, max: 3 }),
  size: fc.constantFrom(8, 16),
  seed: fc.nat(1000),
});

function headsOf({ pairs, group }: Sizes): number {
  return pairs * group;
}

function attend(memory: ScratchMemory, shape: Sizes, qkv: readonly number[]) {
  const { length, pairs, size } = shape;
  const heads = headsOf(shape);
  const columns = padded(length);
  const input = memory.put(qkv);
  const p = memory.allocate(heads * length * columns);
  const out = memory.allocate(length * heads * size);
  const scratch = memory.allocate(size * columns);
  memory.kernels.attention(
    length,
    columns,
    heads,
    pairs,
    size,
    input.address,
    p.address,
    out.address,
    scratch.address,
  );
  return { input, p, out, scratch };
}

/** The weights of each row and head, up to the last column that triangular products read. */
function weightsOf(p: Block, shape: Sizes): number[][] {
  const { length } = shape;
  const heads = headsOf(shape);
  const columns = padded(length);
  return rowsOf(p.read(), columns)
    .map((row, at) => row.slice(0, Math.min(columns, padded((at % length) + 1) + 8)))
    .slice(0, heads * length);
}

/** All builds play the same shapes, so that they share the gradients of the plain implementation. */
const [sharedSeed = 0] = fc.sample(fc.nat(), 1);
const plainGradients = new Map<string, ReturnType<typeof differences>>();

describe.each(builds)("attention, %s", (build) => {
  const memory = new ScratchMemory(build);

  test("averages the values of earlier tokens with softmax weights; later tokens have the weight 0", () => {
    fc.assert(
      fc.property(sizes, fc.constantFrom(1, 4, 300), (shape, spread) => {
        const { length, pairs, size, seed } = shape;
        const heads = headsOf(shape);
        const row = (heads + 2 * pairs) * size;
        memory.clear();
        const qkv = numbers(seed, length * row, spread);
        const { p, out, scratch } = attend(memory, shape, qkv);
        const reference = referenceAttention(rowsOf(qkv, row), heads, pairs);
        const expected = reference.weights.flat();
        for (const [at, row] of weightsOf(p, shape).entries()) {
          const reach = expected[at]!.length;
          // Single precision rounds scores near 10⁵ to a hundredth.
          const tolerance = spread > 100 ? 0.05 : 1e-5;
          expect(distance(row.slice(0, reach), expected[at]!)).toBeLessThan(tolerance);
          expect(row.slice(reach).every((weight) => weight === 0)).toBe(true);
        }
        expect(distance(out.read(), reference.out.flat()) / spread).toBeLessThan(
          spread > 100 ? 0.05 : 1e-5,
        );
        scratch.read();
      }),
    );
  });

  test("computes the gradient of each query, key and value", () => {
    fc.assert(
      fc.property(
        fc.record({
          length: fc.integer({ min: 1, max: 9 }),
          pairs: fc.integer({ min: 1, max: 2 }),
          group: fc.integer({ min: 1, max: 2 }),
          size: fc.constant(8),
          seed: fc.nat(1000),
        }),
        (shape) => {
          const { length, pairs, size, seed } = shape;
          const heads = headsOf(shape);
          const width = heads * size;
          const row = width + 2 * pairs * size;
          memory.clear();
          const qkv = numbers(seed, length * row, 1.5);
          const gradient = numbers(seed + 1, length * width);
          const { input, p, scratch } = attend(memory, shape, qkv);
          const columns = padded(length);
          const [dout, dqkv] = [memory.put(gradient), memory.allocate(length * row)];
          const dp = memory.allocate(length * columns);
          memory.kernels.attentionBackward(
            length,
            columns,
            heads,
            pairs,
            size,
            input.address,
            p.address,
            dout.address,
            dqkv.address,
            dp.address,
            scratch.address,
          );
          const key = JSON.stringify(shape);
          const reference =
            plainGradients.get(key) ??
            differences(
              (at) => dot(referenceAttention(rowsOf(at, row), heads, pairs).out.flat(), gradient),
              qkv,
            );
          plainGradients.set(key, reference);
          expect(distance(dqkv.read(), reference)).toBeLessThan(2e-5);
          for (const block of [dp, scratch]) block.read();
        },
      ),
      { numRuns: 8, seed: sharedSeed },
    );
  });

  test("computes the same over a cache as over the whole conversation, in any slot", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 28 }), (shape, early) => {
        const { length, pairs, size, seed } = shape;
        const heads = headsOf(shape);
        const width = heads * size;
        const row = width + 2 * pairs * size;
        const context = padded(length);
        const slotBytes = 2 * pairs * size * context * 4;
        memory.clear();
        const qkv = numbers(seed, length * row, 2);
        const cache = memory.allocate((3 * slotBytes) / 4);
        const other = memory.put(numbers(seed + 1, length * row, 2));
        const scratch = memory.allocate(context);
        const all = memory.putInts(Array.from({ length }, (_, row) => row));
        const slots = (slot: number): Block => memory.putInts(Array.from({ length }, () => slot));
        const [own, foreign] = [slots(2), slots(0)];
        // Fills the slots with other contents, which must not matter.
        for (const slot of [foreign, own])
          memory.kernels.writeCache(
            length,
            heads,
            pairs,
            size,
            context,
            other.address,
            cache.address,
            slotBytes,
            slot.address,
            all.address,
          );

        const rows = rowsOf(qkv, row);
        const cutAt = Math.min(early, length);
        const results = [rows.slice(0, cutAt), rows.slice(cutAt)].map((part, second) => {
          const count = part.length;
          const start = second * cutAt;
          const positions = memory.putInts(part.map((_, at) => start + at));
          const input = memory.put(part.flat());
          const out = memory.allocate(count * width);
          memory.kernels.writeCache(
            count,
            heads,
            pairs,
            size,
            context,
            input.address,
            cache.address,
            slotBytes,
            own.address,
            positions.address,
          );
          memory.kernels.cachedAttention(
            count,
            all.address,
            heads,
            pairs,
            size,
            context,
            input.address,
            cache.address,
            slotBytes,
            own.address,
            positions.address,
            out.address,
            scratch.address,
          );
          return out.read();
        });
        expect(
          distance(results.flat(), referenceAttention(rows, heads, pairs).out.flat()),
        ).toBeLessThan(2e-5);
        cache.read();
        scratch.read();
      }),
    );
  });

  test("computes only the chosen rows over a cache", () => {
    memory.clear();
    const [length, heads, size] = [7, 2, 8];
    const width = heads * size;
    const qkv = numbers(5, length * 3 * width);
    const slotBytes = 2 * width * 8 * 4;
    const [input, cache] = [memory.put(qkv), memory.allocate(slotBytes / 4)];
    const slots = memory.putInts(Array.from({ length }, () => 0));
    const positions = memory.putInts(Array.from({ length }, (_, at) => at));
    const [chosen, out, scratch] = [
      memory.putInts([6, 2]),
      memory.allocate(2 * width),
      memory.allocate(8),
    ];
    memory.kernels.writeCache(
      length,
      heads,
      heads,
      size,
      8,
      input.address,
      cache.address,
      slotBytes,
      slots.address,
      positions.address,
    );
    memory.kernels.cachedAttention(
      2,
      chosen.address,
      heads,
      heads,
      size,
      8,
      input.address,
      cache.address,
      slotBytes,
      slots.address,
      positions.address,
      out.address,
      scratch.address,
    );
    const reference = referenceAttention(rowsOf(qkv, 3 * width), heads).out;
    expect(distance(out.read(), [...reference[6]!, ...reference[2]!])).toBeLessThan(1e-5);
  });
});
