import { exp4, max4, multiplyAdd, sum4 } from "./math";

const MASKED: f32 = -1e30;

/**
 * Replaces row i of `scores` with softmax(scale · scores[i][0..i]); sets the entries to its right to 0, up to the last one
 * that triangular products read. `rowBytes` is the stride of rows; `columns` is a multiple of 8.
 */
export function causalSoftmax(rows: i32, columns: i32, scores: usize, rowBytes: usize, scale: f32): void {
  const scales = f32x4.splat(scale);
  for (let i = 0; i < rows; i++) {
    const row = scores + <usize>i * rowBytes;
    const end = <usize>min(columns, ((i + 8) & ~7) + 8) * 4;
    for (let at = <usize>(i + 1) * 4; at < end; at += 4) store<f32>(row + at, MASKED);
    let greatest = f32x4.splat(MASKED);
    for (let at: usize = 0; at < end; at += 16) greatest = f32x4.pmax(greatest, v128.load(row + at));
    const shift = f32x4.splat(-max4(greatest) * scale);
    let total = f32x4.splat(0);
    for (let at: usize = 0; at < end; at += 16) {
      const power = exp4(multiplyAdd(v128.load(row + at), scales, shift));
      v128.store(row + at, power);
      total = f32x4.add(total, power);
    }
    const inverse = f32x4.splat(1 / sum4(total));
    for (let at: usize = 0; at < end; at += 16)
      v128.store(row + at, f32x4.mul(v128.load(row + at), inverse));
    for (let at = <usize>(i + 1) * 4; at < end; at += 4) store<f32>(row + at, 0);
  }
}

/** Replaces dP with dS = scale · P ∘ (dP − rowsum(P ∘ dP)) on and below the diagonal, and with 0 to its right. */
export function causalSoftmaxBackward(
  rows: i32, columns: i32, p: usize, dp: usize, rowBytes: usize, scale: f32,
): void {
  const scales = f32x4.splat(scale);
  for (let i = 0; i < rows; i++) {
    const row = <usize>i * rowBytes;
    const end = <usize>min(columns, ((i + 8) & ~7) + 8) * 4;
    for (let at = <usize>(i + 1) * 4; at < end; at += 4) store<f32>(dp + row + at, 0);
    let products = f32x4.splat(0);
    for (let at: usize = row; at < row + end; at += 16)
      products = multiplyAdd(v128.load(p + at), v128.load(dp + at), products);
    const mean = f32x4.splat(sum4(products));
    for (let at: usize = row; at < row + end; at += 16) {
      const inner = f32x4.mul(v128.load(p + at), f32x4.sub(v128.load(dp + at), mean));
      v128.store(dp + at, f32x4.mul(inner, scales));
    }
  }
}

/**
 * For each row of logits: multiplies them by `inverseTemperature` in place, and writes log Z, the target's log-probability
 * and the entropy, in nats. Ignores the columns from `vocabulary` to `columns` (a multiple of 8).
 */
export function logSoftmax(
  rows: i32, vocabulary: i32, columns: i32, logits: usize, inverseTemperature: f32,
  targets: usize, logNormalizers: usize, logprobs: usize, entropies: usize,
): void {
  const bytes = <usize>columns * 4;
  const scales = f32x4.splat(inverseTemperature);
  for (let i = 0; i < rows; i++) {
    const row = logits + <usize>i * bytes;
    for (let at = <usize>vocabulary * 4; at < bytes; at += 4) store<f32>(row + at, MASKED);
    let greatest = f32x4.splat(MASKED);
    for (let at: usize = 0; at < bytes; at += 16) {
      const scaled = f32x4.mul(v128.load(row + at), scales);
      v128.store(row + at, scaled);
      greatest = f32x4.pmax(greatest, scaled);
    }
    const top = max4(greatest);
    const shift = f32x4.splat(-top);
    let total = f32x4.splat(0);
    let weighted = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const shifted = f32x4.pmax(f32x4.add(v128.load(row + at), shift), f32x4.splat(-80.0));
      const power = exp4(shifted);
      total = f32x4.add(total, power);
      weighted = multiplyAdd(power, shifted, weighted);
    }
    const sum = sum4(total);
    const logSum: f32 = <f32>Math.log(<f64>sum);
    const logNormalizer = top + logSum;
    const offset = <usize>i * 4;
    store<f32>(logNormalizers + offset, logNormalizer);
    store<f32>(entropies + offset, logSum - sum4(weighted) / sum);
    const target = <usize>load<i32>(targets + offset) * 4;
    store<f32>(logprobs + offset, load<f32>(row + target) - logNormalizer);
  }
}

/**
 * Replaces scaled logits with the gradient of the unscaled logits, given the gradients of each row's target log-probability
 * and entropy: invT · (gL (1[target] − p) − gH p (log p + H)).
 */
export function logSoftmaxBackward(
  rows: i32, columns: i32, logits: usize, inverseTemperature: f32,
  targets: usize, logNormalizers: usize, entropies: usize, gradLogprobs: usize, gradEntropies: usize,
): void {
  const bytes = <usize>columns * 4;
  for (let i = 0; i < rows; i++) {
    const row = logits + <usize>i * bytes;
    const offset = <usize>i * 4;
    const gradLogprob = load<f32>(gradLogprobs + offset) * inverseTemperature;
    const gradEntropy = f32x4.splat(load<f32>(gradEntropies + offset) * inverseTemperature);
    const entropy = f32x4.splat(load<f32>(entropies + offset));
    const shift = f32x4.splat(-load<f32>(logNormalizers + offset));
    const gradTarget = f32x4.splat(gradLogprob);
    for (let at: usize = 0; at < bytes; at += 16) {
      const logProbability = f32x4.pmax(f32x4.add(v128.load(row + at), shift), f32x4.splat(-80.0));
      const probability = exp4(logProbability);
      const inner = multiplyAdd(gradEntropy, f32x4.add(logProbability, entropy), gradTarget);
      v128.store(row + at, f32x4.neg(f32x4.mul(probability, inner)));
    }
    const target = row + <usize>load<i32>(targets + offset) * 4;
    store<f32>(target, load<f32>(target) + gradLogprob);
  }
}

/** Replaces logits with probabilities, at one temperature per row; sets padding columns to 0. */
export function probabilities(
  rows: i32, vocabulary: i32, columns: i32, logits: usize, inverseTemperatures: usize,
): void {
  const bytes = <usize>columns * 4;
  for (let i = 0; i < rows; i++) {
    const row = logits + <usize>i * bytes;
    const scales = f32x4.splat(load<f32>(inverseTemperatures + <usize>i * 4));
    for (let at = <usize>vocabulary * 4; at < bytes; at += 4) store<f32>(row + at, MASKED);
    let greatest = f32x4.splat(MASKED);
    for (let at: usize = 0; at < bytes; at += 16) greatest = f32x4.pmax(greatest, v128.load(row + at));
    const shift = f32x4.splat(-max4(greatest));
    let total = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const power = exp4(f32x4.mul(f32x4.add(v128.load(row + at), shift), scales));
      v128.store(row + at, power);
      total = f32x4.add(total, power);
    }
    const inverse = f32x4.splat(1 / sum4(total));
    for (let at: usize = 0; at < bytes; at += 16)
      v128.store(row + at, f32x4.mul(v128.load(row + at), inverse));
    for (let at = <usize>vocabulary * 4; at < bytes; at += 4) store<f32>(row + at, 0);
  }
}
