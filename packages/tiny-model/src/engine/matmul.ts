import type { Kernels } from "./kernels.ts";
import type { Matrix } from "./weights.ts";

/** Flags of `gemm` in `assembly/gemm.ts`. */
export const store = 0;
export const accumulate = 1;

/** The operands of `from · by`; `from`, `to` and `gradient` are addresses of dense rows. */
export interface MatmulOperands {
  readonly from: number;
  readonly by: Matrix;
  readonly to: number;
  readonly flags: number;
}

export interface MatmulBackwardOperands {
  readonly gradient: number;
  readonly by: Matrix;
  readonly from: number;
  readonly to: number;
}

/** Stores `from · by` in `to`, or adds it to `to`. */
export function matmul(
  kernels: Kernels,
  rows: number,
  { from, by, to, flags }: MatmulOperands,
): void {
  const { rows: inner, columns, weight } = by;
  const [narrow, wide] = [inner * 4, columns * 4];
  kernels.gemm(rows, columns, inner, from, narrow, 4, weight, wide, to, wide, flags);
}

/** The backward pass of `from · by`: adds to the gradient of `by`, and stores the gradient of `from` in `to`. */
export function matmulBackward(
  kernels: Kernels,
  rows: number,
  { gradient, by, from, to }: MatmulBackwardOperands,
): void {
  const { rows: inner, columns, gradient: sum, transposed } = by;
  const [narrow, wide] = [inner * 4, columns * 4];
  kernels.gemm(inner, columns, rows, from, 4, narrow, gradient, wide, sum, wide, accumulate);
  kernels.gemm(rows, inner, columns, gradient, wide, 4, transposed, narrow, to, narrow, store);
}
