import { exp4, max4, multiplyAdd, sum4 } from "./math";

const MASKED: f32 = -1e30;
/** The least logarithm of a probability that is distinguished. In memory, as the constants of `exp4`. */
const LOWEST: usize = memory.data<f32>([-80.0], 16);
/** Storage for eight unused numbers: V8 joins operations whose results are stored next to each other. */
const POWERS: usize = memory.data(32, 32);

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
    for (let at: usize = row; at < row + end; at += 32) {
      const power0 = exp4(multiplyAdd(v128.load(at), scales, shift));
      const power1 = exp4(multiplyAdd(v128.load(at, 16), scales, shift));
      v128.store(at, power0);
      v128.store(at, power1, 16);
      total = f32x4.add(f32x4.add(total, power0), power1);
    }
    const inverse = f32x4.splat(1 / sum4(total));
    for (let at: usize = row; at < row + end; at += 32) {
      const share0 = f32x4.mul(v128.load(at), inverse);
      const share1 = f32x4.mul(v128.load(at, 16), inverse);
      v128.store(at, share0);
      v128.store(at, share1, 16);
    }
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
    for (let at: usize = row; at < row + end; at += 32) {
      const inner0 = f32x4.mul(v128.load(p + at), f32x4.sub(v128.load(dp + at), mean));
      const inner1 = f32x4.mul(v128.load(p + at, 16), f32x4.sub(v128.load(dp + at, 16), mean));
      v128.store(dp + at, f32x4.mul(inner0, scales));
      v128.store(dp + at, f32x4.mul(inner1, scales), 16);
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
    for (let at: usize = 0; at < bytes; at += 32) {
      const shifted0 = f32x4.pmax(f32x4.add(v128.load(row + at), shift), v128.load32_splat(LOWEST));
      const shifted1 = f32x4.pmax(f32x4.add(v128.load(row + at, 16), shift), v128.load32_splat(LOWEST));
      const power0 = exp4(shifted0);
      const power1 = exp4(shifted1);
      v128.store(POWERS, power0);
      v128.store(POWERS, power1, 16);
      total = f32x4.add(f32x4.add(total, power0), power1);
      weighted = multiplyAdd(power1, shifted1, multiplyAdd(power0, shifted0, weighted));
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
    const gradEntropy = f32x4.splat(-load<f32>(gradEntropies + offset) * inverseTemperature);
    const entropy = f32x4.splat(load<f32>(entropies + offset));
    const shift = f32x4.splat(-load<f32>(logNormalizers + offset));
    const gradTarget = f32x4.splat(-gradLogprob);
    for (let at = row; at < row + bytes; at += 32) {
      const log0 = f32x4.pmax(f32x4.add(v128.load(at), shift), v128.load32_splat(LOWEST));
      const log1 = f32x4.pmax(f32x4.add(v128.load(at, 16), shift), v128.load32_splat(LOWEST));
      const inner0 = multiplyAdd(gradEntropy, f32x4.add(log0, entropy), gradTarget);
      const inner1 = multiplyAdd(gradEntropy, f32x4.add(log1, entropy), gradTarget);
      v128.store(at, f32x4.mul(exp4(log0), inner0));
      v128.store(at, f32x4.mul(exp4(log1), inner1), 16);
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
    for (let at = row; at < row + bytes; at += 32) {
      const power0 = exp4(f32x4.mul(f32x4.add(v128.load(at), shift), scales));
      const power1 = exp4(f32x4.mul(f32x4.add(v128.load(at, 16), shift), scales));
      v128.store(at, power0);
      v128.store(at, power1, 16);
      total = f32x4.add(f32x4.add(total, power0), power1);
    }
    const inverse = f32x4.splat(1 / sum4(total));
    for (let at = row; at < row + bytes; at += 32) {
      const share0 = f32x4.mul(v128.load(at), inverse);
      const share1 = f32x4.mul(v128.load(at, 16), inverse);
      v128.store(at, share0);
      v128.store(at, share1, 16);
    }
    for (let at = <usize>vocabulary * 4; at < bytes; at += 4) store<f32>(row + at, 0);
  }
}
