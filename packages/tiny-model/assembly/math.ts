/** a · b + c, with one rounding in the build with relaxed SIMD. */
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

/** e^x of four numbers, to about one unit in the last place; nearly 0 below −87. */
@inline
export function exp4(x: v128): v128 {
  const clamped = f32x4.pmin(f32x4.pmax(x, f32x4.splat(-87.0)), f32x4.splat(88.0));
  const n = f32x4.nearest(f32x4.mul(clamped, f32x4.splat(1.44269504)));
  let r = multiplyAdd(n, f32x4.splat(-0.693359375), clamped);
  r = multiplyAdd(n, f32x4.splat(2.12194440e-4), r);
  let p = f32x4.splat(1.9875691500e-4);
  p = multiplyAdd(p, r, f32x4.splat(1.3981999507e-3));
  p = multiplyAdd(p, r, f32x4.splat(8.3334519073e-3));
  p = multiplyAdd(p, r, f32x4.splat(4.1665795894e-2));
  p = multiplyAdd(p, r, f32x4.splat(1.6666665459e-1));
  p = multiplyAdd(p, r, f32x4.splat(5.0000001201e-1));
  p = f32x4.add(multiplyAdd(f32x4.mul(r, r), p, r), f32x4.splat(1.0));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
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
