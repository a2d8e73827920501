import { exp4, max4, multiplyAdd, sum4 } from "./math";
import { causalSoftmax, causalSoftmaxBackward } from "./softmax";
import { transpose } from "./elementwise";
import { gemm } from "./gemm";

/**
 * Causal attention of one sequence. `qkv` has rows of (heads + 2 · pairs) · size numbers: queries, then keys, then values, each
 * pair of which serves heads / pairs heads (GQA, Ainslie et al. 2023). Writes the attention weights to `p` (heads matrices of
 * length × columns) and the result to `out` (rows of heads · size numbers). `columns` is the length rounded up to a multiple
 * of 8; `scratch` needs size × columns numbers.
 */
export function attention(
  length: i32, columns: i32, heads: i32, pairs: i32, size: i32, qkv: usize, p: usize, out: usize, scratch: usize,
): void {
  const width = <usize>heads * size * 4;
  const keys = <usize>pairs * size * 4;
  const row = width + 2 * keys;
  const rowP = <usize>columns * 4;
  const scale: f32 = 1 / sqrt(<f32>size);
  for (let head = 0; head < heads; head++) {
    const q = qkv + <usize>head * size * 4;
    const k = qkv + width + <usize>(head / (heads / pairs)) * size * 4;
    const scores = p + <usize>head * length * rowP;
    transpose(length, size, k, row, scratch, rowP);
    gemm(length, columns, size, q, row, 4, scratch, rowP, scores, rowP, 2);
    causalSoftmax(length, columns, scores, rowP, scale);
    gemm(length, size, length, scores, rowP, 4, k + keys, row, out + <usize>head * size * 4, width, 4);
  }
}

/** Computes dqkv from dout and the results of {@link attention}; `dp` needs length × columns numbers. */
export function attentionBackward(
  length: i32, columns: i32, heads: i32, pairs: i32, size: i32,
  qkv: usize, p: usize, dout: usize, dqkv: usize, dp: usize, scratch: usize,
): void {
  const width = <usize>heads * size * 4;
  const keys = <usize>pairs * size * 4;
  const row = width + 2 * keys;
  const rowP = <usize>columns * 4;
  const scale: f32 = 1 / sqrt(<f32>size);
  const group = heads / pairs;
  for (let head = 0; head < heads; head++) {
    const offset = <usize>head * size * 4;
    const shared = width + <usize>(head / group) * size * 4;
    const k = qkv + shared;
    const dk = dqkv + shared;
    const add = head % group == 0 ? 0 : 1;
    const scores = p + <usize>head * length * rowP;
    transpose(length, size, k + keys, row, scratch, rowP);
    gemm(length, columns, size, dout + offset, width, 4, scratch, rowP, dp, rowP, 2);
    causalSoftmaxBackward(length, columns, scores, dp, rowP, scale);
    gemm(length, size, length, scores, 4, rowP, dout + offset, width, dk + keys, row, 8 | add);
    gemm(length, size, length, dp, rowP, 4, k, row, dqkv + offset, row, 4);
    gemm(length, size, length, dp, 4, rowP, qkv + offset, row, dk, row, 8 | add);
  }
}

/**
 * Writes the keys and values of `rows` tokens to the cache. The layout of a slot, where `width` is pairs · size: for every eight
 * tokens, their keys as `width` groups of eight numbers; then `context` rows of `width` values.
 */
export function writeCache(
  rows: i32, heads: i32, pairs: i32, size: i32, context: i32,
  qkv: usize, cache: usize, slotBytes: usize, slots: usize, positions: usize,
): void {
  const width = pairs * size;
  for (let row = 0; row < rows; row++) {
    const slot = cache + <usize>load<i32>(slots + <usize>row * 4) * slotBytes;
    const position = <usize>load<i32>(positions + <usize>row * 4);
    const key = qkv + <usize>(row * (heads + 2 * pairs) + heads) * size * 4;
    for (let i = 0; i < width; i++)
      store<f32>(slot + (((position >> 3) * width + <usize>i) * 8 + (position & 7)) * 4, load<f32>(key + <usize>i * 4));
    memory.copy(slot + <usize>(context + position) * width * 4, key + <usize>width * 4, <usize>width * 4);
  }
}

/**
 * Attention of single tokens over the cached keys and values of their slots, their own included. `chosen` lists the rows of
 * `qkv` to compute; `out` gets one row for each. `context` is a multiple of 8; `scratch` needs `context` numbers.
 */
export function cachedAttention(
  count: i32, chosen: usize, heads: i32, pairs: i32, size: i32, context: i32,
  qkv: usize, cache: usize, slotBytes: usize, slots: usize, positions: usize, out: usize, scratch: usize,
): void {
  const width = <usize>pairs * size;
  const group = heads / pairs;
  const scale: f32 = 1 / sqrt(<f32>size);
  const scales = f32x4.splat(scale);
  for (let at = 0; at < count; at++) {
    const row = load<i32>(chosen + <usize>at * 4);
    const slot = cache + <usize>load<i32>(slots + <usize>row * 4) * slotBytes;
    const length = load<i32>(positions + <usize>row * 4) + 1;
    const bytes = <usize>((length + 7) & ~7) * 4;
    for (let head = 0; head < heads; head++) {
      const q = qkv + <usize>(row * (heads + 2 * pairs) + head) * size * 4;
      const pair = <usize>(head / group) * size;
      const keys = slot + pair * 32;
      let greatest = f32x4.splat(-1e30);
      const step = width * 32;
      let t: usize = 0;
      let block = keys;
      for (; t + 64 <= bytes; t += 64) {
        let s0 = f32x4.splat(0);
        let s1 = s0;
        let s2 = s0;
        let s3 = s0;
        let key = block;
        let next = block + step;
        for (let i: usize = 0; i < <usize>size; i++) {
          const x = v128.load32_splat(q + i * 4);
          s0 = multiplyAdd(x, v128.load(key), s0);
          s1 = multiplyAdd(x, v128.load(key, 16), s1);
          s2 = multiplyAdd(x, v128.load(next), s2);
          s3 = multiplyAdd(x, v128.load(next, 16), s3);
          key += 32;
          next += 32;
        }
        v128.store(scratch + t, s0);
        v128.store(scratch + t, s1, 16);
        v128.store(scratch + t, s2, 32);
        v128.store(scratch + t, s3, 48);
        block += 2 * step;
      }
      if (t < bytes) {
        let s0 = f32x4.splat(0);
        let s1 = s0;
        let key = block;
        for (let i: usize = 0; i < <usize>size; i++) {
          const x = v128.load32_splat(q + i * 4);
          s0 = multiplyAdd(x, v128.load(key), s0);
          s1 = multiplyAdd(x, v128.load(key, 16), s1);
          key += 32;
        }
        v128.store(scratch + t, s0);
        v128.store(scratch + t, s1, 16);
      }
      for (let t = <usize>length * 4; t < bytes; t += 4) store<f32>(scratch + t, -1e30);
      for (let t: usize = 0; t < bytes; t += 16) greatest = f32x4.pmax(greatest, v128.load(scratch + t));
      const shift = f32x4.splat(-max4(greatest) * scale);
      let total = f32x4.splat(0);
      for (let at = scratch; at < scratch + bytes; at += 32) {
        const power0 = exp4(multiplyAdd(v128.load(at), scales, shift));
        const power1 = exp4(multiplyAdd(v128.load(at, 16), scales, shift));
        v128.store(at, power0);
        v128.store(at, power1, 16);
        total = f32x4.add(f32x4.add(total, power0), power1);
      }
      for (let t = <usize>length * 4; t < bytes; t += 4) store<f32>(scratch + t, 0);
      const inverse = f32x4.splat(1 / sum4(total));
      const values = slot + (<usize>context * width + pair) * 4;
      const target = out + <usize>(at * heads + head) * size * 4;
      let i: usize = 0;
      for (; i + 64 <= <usize>size * 4; i += 64) {
        let s0 = f32x4.splat(0);
        let s1 = s0;
        let s2 = s0;
        let s3 = s0;
        let value = values + i;
        for (let t = 0; t < length; t++) {
          const x = v128.load32_splat(scratch + <usize>t * 4);
          s0 = multiplyAdd(x, v128.load(value), s0);
          s1 = multiplyAdd(x, v128.load(value, 16), s1);
          s2 = multiplyAdd(x, v128.load(value, 32), s2);
          s3 = multiplyAdd(x, v128.load(value, 48), s3);
          value += width * 4;
        }
        v128.store(target + i, f32x4.mul(s0, inverse));
        v128.store(target + i, f32x4.mul(s1, inverse), 16);
        v128.store(target + i, f32x4.mul(s2, inverse), 32);
        v128.store(target + i, f32x4.mul(s3, inverse), 48);
      }
      for (; i < <usize>size * 4; i += 16) {
        let sum = f32x4.splat(0);
        let value = values + i;
        for (let t = 0; t < length; t++) {
          sum = multiplyAdd(v128.load32_splat(scratch + <usize>t * 4), v128.load(value), sum);
          value += width * 4;
        }
        v128.store(target + i, f32x4.mul(sum, inverse));
      }
    }
  }
}
