import type { Kernels } from "./kernels.ts";
import type { Matrix } from "./weights.ts";

/** Flags of `gemm` in `assembly/gemm.ts`. */
export const store = 0;
export const accumulate = 1;

/** A product with a matrix of the model; `from`, `to` and `gradient` are addresses of rows without gaps. */
export interface Product {
  readonly from: number;
  readonly by: Matrix;
  readonly to: number;
  readonly flags: number;
}

export interface ProductBackward {
  readonly gradient: number;
  readonly by: Matrix;
  readonly from: number;
  readonly to: number;
}

/** Writes `from · by` to `to`, or adds it to what is there. */
export function multiply(kernels: Kernels, rows: number, { from, by, to, flags }: Product): void {
  const { rows: inner, columns, weight } = by;
  const [narrow, wide] = [inner * 4, columns * 4];
  kernels.gemm(rows, columns, inner, from, narrow, 4, weight, wide, to, wide, flags);
}

/** The gradients of `from · by`: that of `by` grows, that of `from` goes to `to`. */
export function multiplyBackward(
  kernels: Kernels,
  rows: number,
  { gradient, by, from, to }: ProductBackward,
): void {
  const { rows: inner, columns, gradient: sum, transposed } = by;
  const [narrow, wide] = [inner * 4, columns * 4];
  kernels.gemm(inner, columns, rows, from, 4, narrow, gradient, wide, sum, wide, accumulate);
  kernels.gemm(rows, inner, columns, gradient, wide, 4, transposed, narrow, to, narrow, store);
}
