import { Arena } from "./arena.ts";
import { canCompileWide } from "./compile-wide.ts";
import { type KernelBuild, type Kernels, startKernels, supportsRelaxed } from "./kernels.ts";

let fastest: KernelBuild | undefined;

/**
 * The fastest build that this machine runs. `wide` needs a processor with fused multiply-add, and must compute the same
 * bits as `relaxed` here: V8 calls the optimisation behind it experimental.
 */
export function fastestBuild(): KernelBuild {
  return (fastest ??= findFastestBuild());
}

/** How this machine rounds a · b + c. The two ways give different weights for the same seed and number of threads. */
export function engineArithmetic(): "fused multiply-add" | "separate multiply and add" {
  return hasFusedMultiplyAdd(startKernels(fastestBuild()))
    ? "fused multiply-add"
    : "separate multiply and add";
}

function findFastestBuild(): KernelBuild {
  if (!supportsRelaxed()) return "simd";
  if (!canCompileWide()) return "relaxed";
  const relaxed = startKernels("relaxed");
  if (!hasFusedMultiplyAdd(relaxed)) return "relaxed";
  return computeSameBits(startKernels("wide"), relaxed) ? "wide" : "relaxed";
}

/** Whether the kernels round a · b + c once: then x · x − round(x · x) is not 0. */
export function hasFusedMultiplyAdd(kernels: Kernels): boolean {
  const x = 1 + 2 ** -13;
  const left = [-Math.fround(x * x), x];
  const right = [1, x].flatMap((value) => Array.from({ length: 8 }, () => value));
  return multiply(kernels, { rows: 1, columns: 8, inner: 2, left, right })[0] !== 0;
}

/** Compares products whose sizes reach every tile of `assembly/tiles.ts`. */
function computeSameBits(wide: Kernels, relaxed: Kernels): boolean {
  return [43, 28, 26, 13].every((rows) => {
    const [columns, inner] = [24, 11];
    const left = fractions(rows * inner, 7919);
    const right = fractions(inner * columns, 104_729);
    const product = { rows, columns, inner, left, right };
    const expected = multiply(relaxed, product);
    return multiply(wide, product).every((value, at) => Object.is(value, expected[at]));
  });
}

/** Numbers from −1 to 1 without a pattern. */
function fractions(count: number, factor: number): number[] {
  return Array.from({ length: count }, (_, at) => Math.sin(factor * (at + 1)));
}

interface Product {
  readonly rows: number;
  readonly columns: number;
  readonly inner: number;
  readonly left: readonly number[];
  readonly right: readonly number[];
}

function multiply(
  kernels: Kernels,
  { rows, columns, inner, left, right }: Product,
): readonly number[] {
  const arena = new Arena(kernels.memory);
  const a = arena.allocate(left.length);
  const b = arena.allocate(right.length);
  const c = arena.allocate(rows * columns);
  arena.floats(a, left.length).set(left);
  arena.floats(b, right.length).set(right);
  const [narrow, wide] = [inner * 4, columns * 4];
  kernels.gemm(rows, columns, inner, a, narrow, 4, b, wide, c, wide, 0);
  return [...arena.floats(c, rows * columns)];
}
