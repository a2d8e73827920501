import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Arena } from "../../src/engine/arena.ts";
import { rotationTables } from "../../src/engine/engine.ts";
import { dot, rowsOf, referenceNormalize, referenceRotate } from "./reference-math.ts";
import { builds, ScratchMemory, differences, distance, numbers } from "./scratch-memory.ts";

const matrices = fc.record({
  rows: fc.integer({ min: 1, max: 9 }),
  width: fc.integer({ min: 1, max: 4 }).map((eights) => 8 * eights),
  seed: fc.nat(1000),
});

describe.each(builds)("elementwise kernels, %s", (build) => {
  const memory = new ScratchMemory(build);

  test("normalise a row to a mean square of 1, and a row of zeros to zeros", () => {
    fc.assert(
      fc.property(matrices, fc.constantFrom(0, 1e-3, 1, 1e4), ({ rows, width, seed }, scale) => {
        memory.clear();
        const x = numbers(seed, rows * width, scale);
        const [input, y, inverse] = [
          memory.put(x),
          memory.allocate(rows * width),
          memory.allocate(rows),
        ];
        memory.kernels.normalize(rows, width, 1e-5, input.address, y.address, inverse.address);
        expect(distance(y.read(), rowsOf(x, width).flatMap(referenceNormalize))).toBeLessThan(5e-6);
        inverse.read();
      }),
    );
  });

  test("accumulate the gradient of a normalisation", () => {
    fc.assert(
      fc.property(matrices, ({ rows, width, seed }) => {
        memory.clear();
        const x = numbers(seed, rows * width);
        const gradient = numbers(seed + 1, rows * width);
        const before = numbers(seed + 2, rows * width);
        const [input, y, inverse] = [
          memory.put(x),
          memory.allocate(rows * width),
          memory.allocate(rows),
        ];
        const [dy, dx] = [memory.put(gradient), memory.put(before)];
        memory.kernels.normalize(rows, width, 1e-5, input.address, y.address, inverse.address);
        memory.kernels.normalizeBackward(
          rows,
          width,
          dy.address,
          y.address,
          inverse.address,
          dx.address,
        );
        const expected = rowsOf(x, width).flatMap((row, at) => {
          const along = gradient.slice(at * width, (at + 1) * width);
          return differences((moved) => dot(referenceNormalize(moved), along), row);
        });
        const sums = expected.map((value, at) => value + before[at]!);
        expect(distance(dx.read(), sums)).toBeLessThan(5e-5);
      }),
    );
  });

  test("compute squared ReLU and its gradient", () => {
    fc.assert(
      fc.property(matrices, ({ rows, width, seed }) => {
        memory.clear();
        const u = numbers(seed, rows * width, 3);
        const gradient = numbers(seed + 1, rows * width);
        const [input, h, dh] = [memory.put(u), memory.allocate(u.length), memory.put(gradient)];
        memory.kernels.squaredRelu(u.length, input.address, h.address);
        memory.kernels.squaredReluBackward(u.length, input.address, dh.address);
        expect(
          distance(
            h.read(),
            u.map((value) => Math.max(value, 0) ** 2),
          ),
        ).toBeLessThan(1e-5);
        const expected = u.map((value, at) => gradient[at]! * 2 * Math.max(value, 0));
        expect(distance(dh.read(), expected)).toBeLessThan(1e-5);
      }),
    );
  });

  test("gather rows by index, and scatter-add to them, also for repeated indices", () => {
    fc.assert(
      fc.property(matrices, fc.integer({ min: 1, max: 5 }), ({ rows, width, seed }, entries) => {
        memory.clear();
        const values = numbers(seed, entries * width);
        const ids = Array.from({ length: rows }, (_, row) => (row * 3 + seed) % entries);
        const [table, chosen, x] = [
          memory.put(values),
          memory.putInts(ids),
          memory.allocate(rows * width),
        ];
        memory.kernels.gather(rows, width, table.address, chosen.address, x.address);
        const before = rowsOf(values, width);
        expect(rowsOf(x.read(), width)).toEqual(ids.map((id) => before[id]));
        memory.kernels.scatterAdd(rows, width, table.address, chosen.address, x.address);
        const counts = before.map((_, id) => ids.filter((other) => other === id).length);
        const expected = before.flatMap((row, id) => row.map((value) => value * (1 + counts[id]!)));
        expect(distance(table.read(), expected)).toBeLessThan(1e-5);
      }),
    );
  });

  test("transpose", () => {
    fc.assert(
      fc.property(matrices, ({ rows, width, seed }) => {
        memory.clear();
        const b = numbers(seed, rows * width);
        const [input, out] = [memory.put(b), memory.allocate(rows * width)];
        memory.kernels.transpose(rows, width, input.address, width * 4, out.address, rows * 4);
        const expected = Array.from({ length: width }, (_, column) =>
          rowsOf(b, width).map((row) => row[column]!),
        );
        expect(out.read()).toEqual(expected.flat());
      }),
    );
  });

  test("rotate each head by the row's position, and back", () => {
    const rotations = fc.record({
      rows: fc.integer({ min: 1, max: 6 }),
      heads: fc.integer({ min: 1, max: 4 }),
      half: fc.constantFrom(4, 8, 12),
      gap: fc.constantFrom(0, 8),
      seed: fc.nat(1000),
    });
    const context = 50;
    fc.assert(
      fc.property(rotations, ({ rows, heads, half, gap, seed }) => {
        memory.clear();
        const width = 2 * half * heads;
        const x = rowsOf(numbers(seed, rows * (width + gap)), width + gap);
        const positions = x.map((_, row) => (row * 17 + seed) % context);
        const tables = rotationTables(arenaOf(memory), { context, half });
        const [block, at] = [memory.put(x.flat()), memory.putInts(positions)];
        const rotate = (sign: number): void =>
          memory.kernels.rotate(
            rows,
            heads,
            half,
            block.address,
            (width + gap) * 4,
            at.address,
            tables.cosines,
            tables.sines,
            sign,
          );
        rotate(1);
        const expected = x.map((row, index) => [
          ...referenceRotate(row.slice(0, width), heads, positions[index]!),
          ...row.slice(width),
        ]);
        expect(distance(block.read(), expected.flat())).toBeLessThan(1e-5);
        rotate(-1);
        expect(distance(block.read(), x.flat())).toBeLessThan(1e-5);
      }),
      { numRuns: 30 },
    );
  });

  test("sum squares in double precision", () => {
    memory.clear();
    const x = numbers(3, 4001, 1e3);
    const sum = memory.kernels.sumOfSquares(x.length, memory.put(x).address);
    expect(sum / dot(x, x)).toBeCloseTo(1, 14);
  });
});

/** An arena within the scratch memory, which the kernels under test can read. */
function arenaOf(memory: ScratchMemory): Arena {
  return {
    allocate: (count: number) => memory.allocate(count).address,
    floats: (address: number, count: number) =>
      new Float32Array(memory.kernels.memory.buffer, address, count),
  } as Arena;
}
