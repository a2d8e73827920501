import { cases } from "@envs/tooling/cases";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { builds, Desk, distance, numbers, type Sheet } from "./desk.ts";

const flagsOf = { accumulate: 1, lowerResult: 2, lowerLeft: 4, upperLeft: 8 };

interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  /** Numbers between the rows of a matrix that are not its own. */
  readonly gap: number;
  readonly isTransposed: boolean;
  readonly accumulates: boolean;
  readonly triangle: "none" | "lowerResult" | "lowerLeft" | "upperLeft";
  readonly seed: number;
}

const products: fc.Arbitrary<Product> = fc.record({
  rows: fc.integer({ min: 1, max: 27 }),
  columns: fc.integer({ min: 1, max: 4 }).map((eights) => 8 * eights),
  inner: fc.integer({ min: 0, max: 40 }),
  gap: fc.constantFrom(0, 4, 12),
  isTransposed: fc.boolean(),
  accumulates: fc.boolean(),
  triangle: fc.constantFrom("none", "lowerResult", "lowerLeft", "upperLeft"),
  seed: fc.nat(1000),
});

/** A as rows of numbers, zero where a flag says that it is. */
function leftOf({ rows, inner, triangle, seed }: Product): number[][] {
  const values = numbers(seed, rows * inner);
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: inner }, (_, at) =>
      (triangle === "lowerLeft" && at > row) || (triangle === "upperLeft" && at < row)
        ? 0
        : values[row * inner + at]!,
    ),
  );
}

function slowProduct(
  left: readonly number[][],
  right: readonly number[][],
  columns: number,
): number[][] {
  return left.map((row) =>
    Array.from({ length: columns }, (_, column) =>
      row.reduce((sum, value, at) => sum + value * right[at]![column]!, 0),
    ),
  );
}

/** Rows with a gap of NaN behind each. */
function spread(rows: readonly number[][], gap: number): number[] {
  return rows.flatMap((row) => [...row, ...Array.from({ length: gap }, () => Number.NaN)]);
}

function cut(values: readonly number[], { columns, gap }: Product): number[][] {
  const wide = columns + gap;
  return Array.from({ length: values.length / wide }, (_, row) =>
    values.slice(row * wide, row * wide + columns),
  );
}

function gapsOf(values: readonly number[], { columns, gap }: Product): number[] {
  return values.filter((_, at) => at % (columns + gap) >= columns);
}

function multiply(
  desk: Desk,
  product: Product,
  given: { left: number[][]; right: number[][]; before: number[][] },
): Sheet {
  const { rows, columns, inner, gap, isTransposed, accumulates, triangle } = product;
  const turned = Array.from({ length: inner }, (_, at) => given.left.map((row) => row[at]!));
  const a = desk.put(spread(isTransposed ? turned : given.left, gap));
  const b = desk.put(spread(given.right, gap));
  const c = desk.put(spread(given.before, gap));
  const long = 4 * ((isTransposed ? rows : inner) + gap);
  const flags =
    (accumulates ? flagsOf.accumulate : 0) | (triangle === "none" ? 0 : flagsOf[triangle]);
  const wide = 4 * (columns + gap);
  const [rowA, stepA] = isTransposed ? [4, long] : [long, 4];
  desk.kernels.gemm(
    rows,
    columns,
    inner,
    a.address,
    rowA,
    stepA,
    b.address,
    wide,
    c.address,
    wide,
    flags,
  );
  return c;
}

describe.each(builds)("gemm, %s", (build) => {
  const desk = new Desk(build);

  test("multiplies matrices of any size, however they lie, and writes nothing beside the result", () => {
    fc.assert(
      fc.property(products, (product) => {
        const { rows, columns, inner, accumulates, triangle, seed } = product;
        desk.clear();
        const left = leftOf(product);
        const right = cut(numbers(seed + 1, inner * columns), { ...product, gap: 0 });
        const before = cut(numbers(seed + 2, rows * columns), { ...product, gap: 0 });
        const result = multiply(desk, product, { left, right, before }).read();
        const slow = slowProduct(left, right, columns);
        const isWanted = (row: number, column: number): boolean =>
          triangle !== "lowerResult" || column <= row;
        const pick = (all: number[][]): number[] =>
          all.flatMap((row, at) => row.filter((_, column) => isWanted(at, column)));
        const expected = slow.map((row, at) =>
          row.map((value, column) => value + (accumulates ? before[at]![column]! : 0)),
        );
        expect(distance(pick(cut(result, product)), pick(expected))).toBeLessThan(1e-5);
        expect(gapsOf(result, product).every(Number.isNaN)).toBe(true);
      }),
      { numRuns: cases(300) },
    );
  });

  test("gives a row the same numbers, to the bit, whichever rows come with it", () => {
    fc.assert(
      fc.property(products, (product) => {
        const { rows, columns, inner, seed } = product;
        const alone = { ...product, rows: 1, triangle: "none" as const };
        desk.clear();
        const left = leftOf({ ...product, triangle: "none" });
        const right = cut(numbers(seed + 1, inner * columns), { ...product, gap: 0 });
        const before = cut(numbers(seed + 2, rows * columns), { ...product, gap: 0 });
        const together = multiply(desk, { ...product, triangle: "none" }, { left, right, before });
        const one = left.map((row, at) =>
          cut(multiply(desk, alone, { left: [row], right, before: [before[at]!] }).read(), product),
        );
        expect(cut(together.read(), product)).toEqual(one.flat());
      }),
      { numRuns: 50 },
    );
  });
});
