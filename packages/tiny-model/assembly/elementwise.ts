import { multiplyAdd, sum4 } from "./math";

const EPSILON: f32 = 1e-5;

/** y = x / rms(x) for each row of `width` numbers; stores 1 / rms(x) in `inverse`. */
export function normalize(rows: i32, width: i32, x: usize, y: usize, inverse: usize): void {
  const bytes = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const value = v128.load(x + at);
      squares = multiplyAdd(value, value, squares);
    }
    const scale: f32 = 1 / sqrt(sum4(squares) / <f32>width + EPSILON);
    store<f32>(inverse, scale);
    const scales = f32x4.splat(scale);
    for (let at: usize = 0; at < bytes; at += 16)
      v128.store(y + at, f32x4.mul(v128.load(x + at), scales));
    x += bytes;
    y += bytes;
    inverse += 4;
  }
}

/** dx += the gradient of {@link normalize}, given its results and dy. */
export function normalizeBackward(
  rows: i32, width: i32, dy: usize, y: usize, inverse: usize, dx: usize,
): void {
  const bytes = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    let products = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16)
      products = multiplyAdd(v128.load(dy + at), v128.load(y + at), products);
    const mean = f32x4.splat(-sum4(products) / <f32>width);
    const scale = f32x4.splat(load<f32>(inverse));
    for (let at: usize = 0; at < bytes; at += 16) {
      const inner = multiplyAdd(v128.load(y + at), mean, v128.load(dy + at));
      v128.store(dx + at, multiplyAdd(inner, scale, v128.load(dx + at)));
    }
    dy += bytes;
    y += bytes;
    dx += bytes;
    inverse += 4;
  }
}

/** h = max(u, 0)². `count` is a multiple of 4. */
export function squaredRelu(count: i32, u: usize, h: usize): void {
  const zero = f32x4.splat(0);
  for (let at: usize = 0; at < <usize>count * 4; at += 16) {
    const positive = f32x4.pmax(v128.load(u + at), zero);
    v128.store(h + at, f32x4.mul(positive, positive));
  }
}

/** Replaces dh with du = dh · 2 max(u, 0). */
export function squaredReluBackward(count: i32, u: usize, dh: usize): void {
  const zero = f32x4.splat(0);
  for (let at: usize = 0; at < <usize>count * 4; at += 16) {
    const positive = f32x4.pmax(v128.load(u + at), zero);
    v128.store(dh + at, f32x4.mul(v128.load(dh + at), f32x4.add(positive, positive)));
  }
}

/** x[row] = table[ids[row]]. */
export function gather(rows: i32, width: i32, table: usize, ids: usize, x: usize): void {
  const bytes = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    memory.copy(x, table + <usize>load<i32>(ids) * bytes, bytes);
    x += bytes;
    ids += 4;
  }
}

/** table[ids[row]] += x[row], in the order of the rows. */
export function scatterAdd(rows: i32, width: i32, table: usize, ids: usize, x: usize): void {
  const bytes = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    const entry = table + <usize>load<i32>(ids) * bytes;
    for (let at: usize = 0; at < bytes; at += 16)
      v128.store(entry + at, f32x4.add(v128.load(entry + at), v128.load(x + at)));
    x += bytes;
    ids += 4;
  }
}

/** out = Bᵀ, for B[rows×columns]; strides in bytes. */
export function transpose(
  rows: i32, columns: i32, b: usize, rowB: usize, out: usize, rowOut: usize,
): void {
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++)
      store<f32>(out + <usize>j * rowOut + <usize>i * 4, load<f32>(b + <usize>i * rowB + <usize>j * 4));
}

/** y += x. `count` is a multiple of 4. */
export function add(count: i32, x: usize, y: usize): void {
  for (let at: usize = 0; at < <usize>count * 4; at += 16)
    v128.store(y + at, f32x4.add(v128.load(y + at), v128.load(x + at)));
}

/**
 * Rotates the pairs (i, i + half) of each head by the angles of the row's position, in place; `sign` −1 reverses the
 * rotation. `rowX` is the stride of rows in bytes; `cosines` and `sines` have `half` numbers per position (RoPE, Su et al.
 * 2021).
 */
export function rotate(
  rows: i32, heads: i32, half: i32,
  x: usize, rowX: usize, positions: usize, cosines: usize, sines: usize, sign: f32,
): void {
  const bytes = <usize>half * 4;
  const signs = f32x4.splat(sign);
  for (let row = 0; row < rows; row++) {
    const position = <usize>load<i32>(positions + <usize>row * 4) * bytes;
    let head = x + <usize>row * rowX;
    for (let h = 0; h < heads; h++) {
      for (let at: usize = 0; at < bytes; at += 16) {
        const cosine = v128.load(cosines + position + at);
        const sine = f32x4.mul(v128.load(sines + position + at), signs);
        const low = v128.load(head + at);
        const high = v128.load(head + bytes + at);
        v128.store(head + at, f32x4.sub(f32x4.mul(low, cosine), f32x4.mul(high, sine)));
        v128.store(head + bytes + at, f32x4.add(f32x4.mul(low, sine), f32x4.mul(high, cosine)));
      }
      head += 2 * bytes;
    }
  }
}
