import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Arena } from "../../src/engine/arena.ts";
import { rotationTables } from "../../src/engine/rope.ts";
import { builds, Desk, differences, distance, numbers } from "./desk.ts";
import { dot, rowsOf, slowNormalize, slowRotate } from "./slow.ts";

const matrices = fc.record({
  rows: fc.integer({ min: 1, max: 9 }),
  width: fc.integer({ min: 1, max: 4 }).map((eights) => 8 * eights),
  seed: fc.nat(1000),
});

describe.each(builds)("kernels that go row by row, %s", (build) => {
  const desk = new Desk(build);

  test("normalise a row to a mean square of one, and a row of zeros to zeros", () => {
    fc.assert(
      fc.property(matrices, fc.constantFrom(0, 1e-3, 1, 1e4), ({ rows, width, seed }, scale) => {
        desk.clear();
        const x = numbers(seed, rows * width, scale);
        const [input, y, inverse] = [desk.put(x), desk.room(rows * width), desk.room(rows)];
        desk.kernels.normalize(rows, width, input.address, y.address, inverse.address);
        expect(distance(y.read(), rowsOf(x, width).flatMap(slowNormalize))).toBeLessThan(5e-6);
        inverse.read();
      }),
    );
  });

  test("add the gradient of a normalisation to what is there", () => {
    fc.assert(
      fc.property(matrices, ({ rows, width, seed }) => {
        desk.clear();
        const x = numbers(seed, rows * width);
        const gradient = numbers(seed + 1, rows * width);
        const before = numbers(seed + 2, rows * width);
        const [input, y, inverse] = [desk.put(x), desk.room(rows * width), desk.room(rows)];
        const [dy, dx] = [desk.put(gradient), desk.put(before)];
        desk.kernels.normalize(rows, width, input.address, y.address, inverse.address);
        desk.kernels.normalizeBackward(
          rows,
          width,
          dy.address,
          y.address,
          inverse.address,
          dx.address,
        );
        const slow = rowsOf(x, width).flatMap((row, at) => {
          const along = gradient.slice(at * width, (at + 1) * width);
          return differences((moved) => dot(slowNormalize(moved), along), row);
        });
        const expected = slow.map((value, at) => value + before[at]!);
        expect(distance(dx.read(), expected)).toBeLessThan(5e-5);
      }),
    );
  });

  test("square what is positive, and go back by twice of it", () => {
    fc.assert(
      fc.property(matrices, ({ rows, width, seed }) => {
        desk.clear();
        const u = numbers(seed, rows * width, 3);
        const gradient = numbers(seed + 1, rows * width);
        const [input, h, dh] = [desk.put(u), desk.room(u.length), desk.put(gradient)];
        desk.kernels.squaredRelu(u.length, input.address, h.address);
        desk.kernels.squaredReluBackward(u.length, input.address, dh.address);
        expect(
          distance(
            h.read(),
            u.map((value) => Math.max(value, 0) ** 2),
          ),
        ).toBeLessThan(1e-5);
        const slow = u.map((value, at) => gradient[at]! * 2 * Math.max(value, 0));
        expect(distance(dh.read(), slow)).toBeLessThan(1e-5);
      }),
    );
  });

  test("fetch rows by their number, and add to them, also where a number comes twice", () => {
    fc.assert(
      fc.property(matrices, fc.integer({ min: 1, max: 5 }), ({ rows, width, seed }, entries) => {
        desk.clear();
        const values = numbers(seed, entries * width);
        const ids = Array.from({ length: rows }, (_, row) => (row * 3 + seed) % entries);
        const [table, chosen, x] = [desk.put(values), desk.putInts(ids), desk.room(rows * width)];
        desk.kernels.gather(rows, width, table.address, chosen.address, x.address);
        const before = rowsOf(values, width);
        expect(rowsOf(x.read(), width)).toEqual(ids.map((id) => before[id]));
        desk.kernels.scatterAdd(rows, width, table.address, chosen.address, x.address);
        const counts = before.map((_, id) => ids.filter((each) => each === id).length);
        const slow = before.flatMap((row, id) => row.map((value) => value * (1 + counts[id]!)));
        expect(distance(table.read(), slow)).toBeLessThan(1e-5);
      }),
    );
  });

  test("transpose", () => {
    fc.assert(
      fc.property(matrices, ({ rows, width, seed }) => {
        desk.clear();
        const b = numbers(seed, rows * width);
        const [input, out] = [desk.put(b), desk.room(rows * width)];
        desk.kernels.transpose(rows, width, input.address, width * 4, out.address, rows * 4);
        const slow = Array.from({ length: width }, (_, column) =>
          rowsOf(b, width).map((row) => row[column]!),
        );
        expect(out.read()).toEqual(slow.flat());
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
        desk.clear();
        const width = 2 * half * heads;
        const x = rowsOf(numbers(seed, rows * (width + gap)), width + gap);
        const positions = x.map((_, row) => (row * 17 + seed) % context);
        // The tables lie at the end of the memory, where the arena makes room.
        const tables = rotationTables(tablesAt(desk), context, half);
        const [sheet, at] = [desk.put(x.flat()), desk.putInts(positions)];
        const turn = (sign: number): void =>
          desk.kernels.rotate(
            rows,
            heads,
            half,
            sheet.address,
            (width + gap) * 4,
            at.address,
            tables.cosines,
            tables.sines,
            sign,
          );
        turn(1);
        const slow = x.map((row, index) => [
          ...slowRotate(row.slice(0, width), heads, positions[index]!),
          ...row.slice(width),
        ]);
        expect(distance(sheet.read(), slow.flat())).toBeLessThan(1e-5);
        turn(-1);
        expect(distance(sheet.read(), x.flat())).toBeLessThan(1e-5);
      }),
      { numRuns: 30 },
    );
  });

  test("sum squares in double precision", () => {
    desk.clear();
    const x = numbers(3, 4001, 1e3);
    const sum = desk.kernels.sumOfSquares(x.length, desk.put(x).address);
    expect(sum / dot(x, x)).toBeCloseTo(1, 14);
  });
});

/** An arena within the desk's memory: what a kernel reads must lie in the same memory. */
function tablesAt(desk: Desk): Arena {
  return {
    allocate: (count: number) => desk.room(count).address,
    floats: (address: number, count: number) =>
      new Float32Array(desk.kernels.memory.buffer, address, count),
  } as Arena;
}
