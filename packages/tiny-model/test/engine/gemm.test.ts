import { cases } from "@envs/tooling/cases";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { builds, ScratchMemory, distance, numbers, type Block } from "./scratch-memory.ts";

const flagsOf = { accumulate: 1, lowerResult: 2, lowerLeft: 4, upperLeft: 8 };

interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  /** Padding between the rows of a matrix. */
  readonly gap: number;
  readonly isTransposed: boolean;
  readonly accumulates: boolean;
  readonly triangle: "none" | "lowerResult" | "lowerLeft" | "upperLeft";
  readonly seed: number;
}

const products: fc.Arbitrary<Product> = fc.record({
  rows: fc.integer({ min: 1, max: 45 }),
  columns: fc.integer({ min: 1, max: 4 }).map((eights) => 8 * eights),
  inner: fc.integer({ min: 0, max: 40 }),
  gap: fc.constantFrom(0, 4, 12),
  isTransposed: fc.boolean(),
  accumulates: fc.boolean(),
  triangle: fc.constantFrom("none", "lowerResult", "lowerLeft", "upperLeft"),
  seed: fc.nat(1000),
});

/** The rows of the left matrix, with zeros outside the triangle of a flag. */
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

function referenceProduct(
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

/** Pads each row with NaN. */
function padRows(rows: readonly number[][], gap: number): number[] {
  return rows.flatMap((row) => [...row, ...Array.from({ length: gap }, () => Number.NaN)]);
}

function unpadRows(values: readonly number[], { columns, gap }: Product): number[][] {
  const stride = columns + gap;
  return Array.from({ length: values.length / stride }, (_, row) =>
    values.slice(row * stride, row * stride + columns),
  );
}

function paddingOf(values: readonly number[], { columns, gap }: Product): number[] {
  return values.filter((_, at) => at % (columns + gap) >= columns);
}

function multiply(
  memory: ScratchMemory,
  product: Product,
  operands: { left: number[][]; right: number[][]; before: number[][] },
): Block {
  const { rows, columns, inner, gap, isTransposed, accumulates, triangle } = product;
  const transposed = Array.from({ length: inner }, (_, at) => operands.left.map((row) => row[at]!));
  const a = memory.put(padRows(isTransposed ? transposed : operands.left, gap));
  const b = memory.put(padRows(operands.right, gap));
  const c = memory.put(padRows(operands.before, gap));
  const long = 4 * ((isTransposed ? rows : inner) + gap);
  const flags =
    (accumulates ? flagsOf.accumulate : 0) | (triangle === "none" ? 0 : flagsOf[triangle]);
  const wide = 4 * (columns + gap);
  const [rowA, stepA] = isTransposed ? [4, long] : [long, 4];
  memory.kernels.gemm(
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
  const memory = new ScratchMemory(build);

  test("multiplies matrices of any size and layout, and writes only the result", () => {
    fc.assert(
      fc.property(products, (product) => {
        const { rows, columns, inner, accumulates, triangle, seed } = product;
        memory.clear();
        const left = leftOf(product);
        const right = unpadRows(numbers(seed + 1, inner * columns), { ...product, gap: 0 });
        const before = unpadRows(numbers(seed + 2, rows * columns), { ...product, gap: 0 });
        const result = multiply(memory, product, { left, right, before }).read();
        const reference = referenceProduct(left, right, columns);
        const isComputed = (row: number, column: number): boolean =>
          triangle !== "lowerResult" || column <= row;
        const pick = (all: number[][]): number[] =>
          all.flatMap((row, at) => row.filter((_, column) => isComputed(at, column)));
        const expected = reference.map((row, at) =>
          row.map((value, column) => value + (accumulates ? before[at]![column]! : 0)),
        );
        expect(distance(pick(unpadRows(result, product)), pick(expected))).toBeLessThan(1e-5);
        expect(paddingOf(result, product).every(Number.isNaN)).toBe(true);
      }),
      { numRuns: cases(300) },
    );
  });

  test("multiplies matrices with more rows than fit into a panel", () => {
    const product = { rows: 25, columns: 24, inner: 1030, gap: 0 } as const;
    const options = { isTransposed: false, accumulates: false, triangle: "none", seed: 1 } as const;
    memory.clear();
    const left = leftOf({ ...product, ...options });
    const right = unpadRows(numbers(2, 1030 * 24), { ...product, ...options });
    const before = unpadRows(numbers(3, 25 * 24), { ...product, ...options });
    const result = multiply(memory, { ...product, ...options }, { left, right, before }).read();
    expect(distance(result, referenceProduct(left, right, 24).flat())).toBeLessThan(1e-3);
  });

  test("computes the same bits for a row, whichever other rows there are", () => {
    fc.assert(
      fc.property(products, (product) => {
        const { rows, columns, inner, seed } = product;
        const alone = { ...product, rows: 1, triangle: "none" as const };
        memory.clear();
        const left = leftOf({ ...product, triangle: "none" });
        const right = unpadRows(numbers(seed + 1, inner * columns), { ...product, gap: 0 });
        const before = unpadRows(numbers(seed + 2, rows * columns), { ...product, gap: 0 });
        const together = multiply(
          memory,
          { ...product, triangle: "none" },
          { left, right, before },
        );
        const one = left.map((row, at) =>
          unpadRows(
            multiply(memory, alone, { left: [row], right, before: [before[at]!] }).read(),
            product,
          ),
        );
        expect(unpadRows(together.read(), product)).toEqual(one.flat());
      }),
      { numRuns: 50 },
    );
  });
});
