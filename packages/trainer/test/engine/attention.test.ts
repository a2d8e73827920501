import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { padded } from "../../src/engine/shape.ts";
import { builds, Desk, differences, distance, numbers, type Sheet } from "./desk.ts";
import { dot, rowsOf, slowAttention } from "./slow.ts";

interface Sizes {
  readonly length: number;
  readonly heads: number;
  readonly size: number;
  readonly seed: number;
}

const sizes: fc.Arbitrary<Sizes> = fc.record({
  length: fc.integer({ min: 1, max: 29 }),
  heads: fc.integer({ min: 1, max: 3 }),
  size: fc.constantFrom(8, 16),
  seed: fc.nat(1000),
});

function attend(desk: Desk, { length, heads, size }: Sizes, qkv: readonly number[]) {
  const columns = padded(length);
  const input = desk.put(qkv);
  const p = desk.room(heads * length * columns);
  const out = desk.room(length * heads * size);
  const scratch = desk.room(size * columns);
  desk.kernels.attention(
    length,
    columns,
    heads,
    size,
    input.address,
    p.address,
    out.address,
    scratch.address,
  );
  return { input, p, out, scratch };
}

/** The weights of each row and each head, as far right as triangular products read them. */
function weightsOf(p: Sheet, { length, heads }: Sizes): number[][] {
  const columns = padded(length);
  return rowsOf(p.read(), columns)
    .map((row, at) => row.slice(0, Math.min(columns, padded((at % length) + 1) + 8)))
    .slice(0, heads * length);
}

describe.each(builds)("attention, %s", (build) => {
  const desk = new Desk(build);

  test("mixes the values of earlier tokens by the softmax of scores; later ones weigh nothing", () => {
    fc.assert(
      fc.property(sizes, fc.constantFrom(1, 4, 300), (shape, spread) => {
        const { length, heads, size, seed } = shape;
        desk.clear();
        const qkv = numbers(seed, length * 3 * heads * size, spread);
        const { p, out, scratch } = attend(desk, shape, qkv);
        const slow = slowAttention(rowsOf(qkv, 3 * heads * size), heads);
        const expected = slow.weights.flat();
        for (const [at, row] of weightsOf(p, shape).entries()) {
          const reach = expected[at]!.length;
          // Scores near 10⁵ are known to a hundredth.
          const tolerance = spread > 100 ? 0.05 : 1e-5;
          expect(distance(row.slice(0, reach), expected[at]!)).toBeLessThan(tolerance);
          expect(row.slice(reach).every((weight) => weight === 0)).toBe(true);
        }
        expect(distance(out.read(), slow.out.flat()) / spread).toBeLessThan(
          spread > 100 ? 0.05 : 1e-5,
        );
        scratch.read();
      }),
    );
  });

  test("goes back to what a step in each query, key and value would change", () => {
    fc.assert(
      fc.property(
        fc.record({
          length: fc.integer({ min: 1, max: 11 }),
          heads: fc.integer({ min: 1, max: 2 }),
          size: fc.constant(8),
          seed: fc.nat(1000),
        }),
        (shape) => {
          const { length, heads, size, seed } = shape;
          const width = heads * size;
          desk.clear();
          const qkv = numbers(seed, length * 3 * width, 1.5);
          const gradient = numbers(seed + 1, length * width);
          const { input, p, scratch } = attend(desk, shape, qkv);
          const columns = padded(length);
          const [dout, dqkv] = [desk.put(gradient), desk.room(length * 3 * width)];
          const dp = desk.room(length * columns);
          desk.kernels.attentionBackward(
            length,
            columns,
            heads,
            size,
            input.address,
            p.address,
            dout.address,
            dqkv.address,
            dp.address,
            scratch.address,
          );
          const slow = differences(
            (at) => dot(slowAttention(rowsOf(at, 3 * width), heads).out.flat(), gradient),
            qkv,
          );
          expect(distance(dqkv.read(), slow)).toBeLessThan(2e-5);
          for (const sheet of [dp, scratch]) sheet.read();
        },
      ),
      { numRuns: 25 },
    );
  });

  test("over a cache is attention over the whole conversation, whichever slots hold it", () => {
    fc.assert(
      fc.property(sizes, fc.integer({ min: 1, max: 28 }), (shape, early) => {
        const { length, heads, size, seed } = shape;
        const width = heads * size;
        const context = padded(length);
        const slotBytes = 2 * width * context * 4;
        desk.clear();
        const qkv = numbers(seed, length * 3 * width, 2);
        const cache = desk.room((3 * slotBytes) / 4);
        const other = desk.put(numbers(seed + 1, length * 3 * width, 2));
        const scratch = desk.room(context);
        const all = desk.putInts(Array.from({ length }, (_, row) => row));
        const slots = (slot: number): Sheet => desk.putInts(Array.from({ length }, () => slot));
        const [mine, theirs] = [slots(2), slots(0)];
        // What was in the slot before, and what is in another, does not matter.
        for (const slot of [theirs, mine])
          desk.kernels.remember(
            length,
            width,
            context,
            other.address,
            cache.address,
            slotBytes,
            slot.address,
            all.address,
          );

        const rows = rowsOf(qkv, 3 * width);
        const cutAt = Math.min(early, length);
        const results = [rows.slice(0, cutAt), rows.slice(cutAt)].map((part, second) => {
          const count = part.length;
          const start = second * cutAt;
          const positions = desk.putInts(part.map((_, at) => start + at));
          const input = desk.put(part.flat());
          const out = desk.room(count * width);
          desk.kernels.remember(
            count,
            width,
            context,
            input.address,
            cache.address,
            slotBytes,
            mine.address,
            positions.address,
          );
          desk.kernels.recall(
            count,
            all.address,
            heads,
            size,
            context,
            input.address,
            cache.address,
            slotBytes,
            mine.address,
            positions.address,
            out.address,
            scratch.address,
          );
          return out.read();
        });
        expect(distance(results.flat(), slowAttention(rows, heads).out.flat())).toBeLessThan(2e-5);
        cache.read();
        scratch.read();
      }),
    );
  });

  test("over a cache answers only the rows that are chosen", () => {
    desk.clear();
    const [length, heads, size] = [7, 2, 8];
    const width = heads * size;
    const qkv = numbers(5, length * 3 * width);
    const slotBytes = 2 * width * 8 * 4;
    const [input, cache] = [desk.put(qkv), desk.room(slotBytes / 4)];
    const slots = desk.putInts(Array.from({ length }, () => 0));
    const positions = desk.putInts(Array.from({ length }, (_, at) => at));
    const [chosen, out, scratch] = [desk.putInts([6, 2]), desk.room(2 * width), desk.room(8)];
    desk.kernels.remember(
      length,
      width,
      8,
      input.address,
      cache.address,
      slotBytes,
      slots.address,
      positions.address,
    );
    desk.kernels.recall(
      2,
      chosen.address,
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
    const slow = slowAttention(rowsOf(qkv, 3 * width), heads).out;
    expect(distance(out.read(), [...slow[6]!, ...slow[2]!])).toBeLessThan(1e-5);
  });
});
