/** Σ x², in double precision. */
export function sumOfSquares(count: i32, x: usize): f64 {
  let sum: f64 = 0;
  for (let at: usize = 0; at < <usize>count * 4; at += 4) {
    const value = <f64>load<f32>(x + at);
    sum += value * value;
  }
  return sum;
}

/**
 * One step of AdamW (Loshchilov and Hutter 2019). `first` and `second` are the moments, `rate` is the learning rate with the
 * bias correction of the first moment, `inverseCorrection` is 1 / √(1 − β2^t), `decay` is learning rate · weight decay; `count` is a multiple of 8.
 */
export function adamW(
  count: i32, weights: usize, gradients: usize, first: usize, second: usize,
  gradientScale: f32, beta1: f32, beta2: f32, rate: f32, inverseCorrection: f32, epsilon: f32, decay: f32,
): void {
  const scale = f32x4.splat(gradientScale);
  const keep1 = f32x4.splat(beta1);
  const take1 = f32x4.splat(1 - beta1);
  const keep2 = f32x4.splat(beta2);
  const take2 = f32x4.splat(1 - beta2);
  const rates = f32x4.splat(rate);
  const corrections = f32x4.splat(inverseCorrection);
  const epsilons = f32x4.splat(epsilon);
  const remains = f32x4.splat(1 - decay);
  for (let at: usize = 0; at < <usize>count * 4; at += 32) {
    const g0 = f32x4.mul(v128.load(gradients + at), scale);
    const g1 = f32x4.mul(v128.load(gradients + at, 16), scale);
    const m0 = f32x4.add(f32x4.mul(v128.load(first + at), keep1), f32x4.mul(g0, take1));
    const m1 = f32x4.add(f32x4.mul(v128.load(first + at, 16), keep1), f32x4.mul(g1, take1));
    const v0 = f32x4.add(f32x4.mul(v128.load(second + at), keep2), f32x4.mul(f32x4.mul(g0, g0), take2));
    const v1 = f32x4.add(f32x4.mul(v128.load(second + at, 16), keep2), f32x4.mul(f32x4.mul(g1, g1), take2));
    const step0 = f32x4.div(f32x4.mul(m0, rates), f32x4.add(f32x4.mul(f32x4.sqrt(v0), corrections), epsilons));
    const step1 = f32x4.div(f32x4.mul(m1, rates), f32x4.add(f32x4.mul(f32x4.sqrt(v1), corrections), epsilons));
    const w0 = f32x4.sub(f32x4.mul(v128.load(weights + at), remains), step0);
    const w1 = f32x4.sub(f32x4.mul(v128.load(weights + at, 16), remains), step1);
    v128.store(first + at, m0);
    v128.store(first + at, m1, 16);
    v128.store(second + at, v0);
    v128.store(second + at, v1, 16);
    v128.store(weights + at, w0);
    v128.store(weights + at, w1, 16);
  }
}
