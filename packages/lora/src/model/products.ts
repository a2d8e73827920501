import type { Kernels } from "@envs/tiny-model/engine";

import { type Dense, panelsOf } from "./frozen-weights.ts";

/** A matrix in memory: its address, and the bytes between its rows and between its columns. */
export interface Left {
  readonly at: number;
  readonly row: number;
  readonly step: number;
}

/** A matrix whose columns are adjacent. */
export interface Rows {
  readonly at: number;
  readonly row: number;
}

export interface Product {
  readonly rows: number;
  readonly columns: number;
  /** The number of products that are summed for each entry. */
  readonly inner: number;
  readonly left: Left;
  readonly right: Rows;
  readonly to: Rows;
  /** Adds to `to` instead of replacing it. */
  readonly adds?: boolean | undefined;
}

/**
 * Sums of more numbers are sums of sums: in single precision, adding 49,152 numbers one by one loses twenty times as many digits
 * as adding 96 sums of 512. A panel of so many rows also fits into the processor's cache.
 */
const maxInner = 512;

/** Multiplies two matrices. */
export function multiply(kernels: Kernels, product: Product): void {
  const { rows, columns, inner, left, right, to, adds = false } = product;
  const parts = Math.ceil(inner / maxInner);
  const size = Math.ceil(inner / parts);
  for (let first = 0; first < inner; first += size)
    kernels.gemm(
      rows,
      columns,
      Math.min(size, inner - first),
      left.at + first * left.step,
      left.row,
      left.step,
      right.at + first * right.row,
      right.row,
      to.at,
      to.row,
      adds || first > 0 ? 1 : 0,
    );
}

/** Rows of `inner` numbers without gaps. */
export function dense(at: number, inner: number): Left {
  return { at, row: inner * 4, step: 4 };
}

/** The transpose of rows of `inner` numbers without gaps. */
export function transposed(at: number, inner: number): Left {
  return { at, row: 4, step: inner * 4 };
}

export interface Projected {
  readonly rows: number;
  readonly from: number;
  readonly by: Dense;
  readonly to: number;
  readonly adds?: boolean | undefined;
}

/** `to` = `from` · `by`, for rows without gaps. */
export function project(kernels: Kernels, { rows, from, by, to, adds }: Projected): void {
  const { rows: inner, columns } = by;
  for (const { column, width, at } of panelsOf(by))
    multiply(kernels, {
      rows,
      columns: width,
      inner,
      left: dense(from, inner),
      right: dense(at, width),
      to: { at: to + column * 4, row: columns * 4 },
      adds,
    });
}
