/** a · b + c, with one rounding in the build with relaxed SIMD. */
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** The constants of {@link exp4}. V8 would build each from integers at every use; a broadcast from memory is one operation. */
const EXP: usize = memory.data<f32>(
  [
    -87.0, 88.0, 1.44269504, 12582912.0, -0.693359375, 2.12194440e-4, 1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
    4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1.0,
  ],
  16,
);
const BIAS: usize = memory.data<i32>([127], 16);

/** e^x of four numbers, to about one unit in the last place; nearly 0 below −87. */
@inline
export function exp4(x: v128): v128 {
  const clamped = f32x4.pmin(f32x4.pmax(x, v128.load32_splat(EXP)), v128.load32_splat(EXP, 4));
  // Adding 1.5 · 2^23 rounds to an integer, and leaves it in the lowest bits.
  const magic = v128.load32_splat(EXP, 12);
  const shifted = f32x4.add(f32x4.mul(clamped, v128.load32_splat(EXP, 8)), magic);
  const n = f32x4.sub(shifted, magic);
  let r = multiplyAdd(n, v128.load32_splat(EXP, 16), clamped);
  r = multiplyAdd(n, v128.load32_splat(EXP, 20), r);
  let p = multiplyAdd(v128.load32_splat(EXP, 24), r, v128.load32_splat(EXP, 28));
  p = multiplyAdd(p, r, v128.load32_splat(EXP, 32));
  p = multiplyAdd(p, r, v128.load32_splat(EXP, 36));
  p = multiplyAdd(p, r, v128.load32_splat(EXP, 40));
  p = multiplyAdd(p, r, v128.load32_splat(EXP, 44));
  p = f32x4.add(multiplyAdd(f32x4.mul(r, r), p, r), v128.load32_splat(EXP, 48));
  const power = i32x4.shl(i32x4.add(shifted, v128.load32_splat(BIAS)), 23);
  return f32x4.mul(p, power);
}

/** The sum of four lanes, always in the same order. */
@inline
export function sum4(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) +
    f32x4.extract_lane(x, 2) +
    (f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 3))
  );
}

/** The maximum of four lanes. */
@inline
export function max4(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}
