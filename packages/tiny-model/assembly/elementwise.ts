import { exp4, multiplyAdd, sum4 } from "./math";

/** y = x / rms(x) for each row of `width` numbers, where rms(x)² = mean(x²) + epsilon; stores 1 / rms(x) in `inverse`. */
export function normalize(rows: i32, width: i32, epsilon: f32, x: usize, y: usize, inverse: usize): void {
  const bytes = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    let squares = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const value = v128.load(x + at);
      squares = multiplyAdd(value, value, squares);
    }
    const scale: f32 = 1 / sqrt(sum4(squares) / <f32>width + epsilon);
    store<f32>(inverse, scale);
    const scales = f32x4.splat(scale);
    for (let at: usize = 0; at < bytes; at += 32) {
      const low = f32x4.mul(v128.load(x + at), scales);
      const high = f32x4.mul(v128.load(x + at, 16), scales);
      v128.store(y + at, low);
      v128.store(y + at, high, 16);
    }
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
    for (let at: usize = 0; at < bytes; at += 32) {
      const inner0 = multiplyAdd(v128.load(y + at), mean, v128.load(dy + at));
      const inner1 = multiplyAdd(v128.load(y + at, 16), mean, v128.load(dy + at, 16));
      const sum0 = multiplyAdd(inner0, scale, v128.load(dx + at));
      const sum1 = multiplyAdd(inner1, scale, v128.load(dx + at, 16));
      v128.store(dx + at, sum0);
      v128.store(dx + at, sum1, 16);
    }
    dy += bytes;
    y += bytes;
    dx += bytes;
    inverse += 4;
  }
}

/** h = max(u, 0)². `count` is a multiple of 8. */
export function squaredRelu(count: i32, u: usize, h: usize): void {
  const zero = f32x4.splat(0);
  for (let at: usize = 0; at < <usize>count * 4; at += 32) {
    const low = f32x4.pmax(v128.load(u + at), zero);
    const high = f32x4.pmax(v128.load(u + at, 16), zero);
    v128.store(h + at, f32x4.mul(low, low));
    v128.store(h + at, f32x4.mul(high, high), 16);
  }
}

/** Replaces dh with du = dh · 2 max(u, 0). `count` is a multiple of 8. */
export function squaredReluBackward(count: i32, u: usize, dh: usize): void {
  const zero = f32x4.splat(0);
  for (let at: usize = 0; at < <usize>count * 4; at += 32) {
    const low = f32x4.pmax(v128.load(u + at), zero);
    const high = f32x4.pmax(v128.load(u + at, 16), zero);
    const gradient0 = f32x4.mul(v128.load(dh + at), f32x4.add(low, low));
    const gradient1 = f32x4.mul(v128.load(dh + at, 16), f32x4.add(high, high));
    v128.store(dh + at, gradient0);
    v128.store(dh + at, gradient1, 16);
  }
}

/** h = silu(g) · u, for rows of `width` numbers g and as many u (SwiGLU, Shazeer 2020). `width` is a multiple of 4. */
export function gate(rows: i32, width: i32, gateUp: usize, h: usize): void {
  const bytes = <usize>width * 4;
  const one = f32x4.splat(1);
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const g = v128.load(gateUp + at);
      const silu = f32x4.div(g, f32x4.add(one, exp4(f32x4.neg(g))));
      v128.store(h + at, f32x4.mul(silu, v128.load(gateUp + bytes + at)));
    }
    gateUp += 2 * bytes;
    h += bytes;
  }
}

/** Replaces g and u of {@link gate} with their gradients, given dh. */
export function gateBackward(rows: i32, width: i32, gateUp: usize, dh: usize): void {
  const bytes = <usize>width * 4;
  const one = f32x4.splat(1);
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const g = v128.load(gateUp + at);
      const u = v128.load(gateUp + bytes + at);
      const gradient = v128.load(dh + at);
      const sigmoid = f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(g))));
      const silu = f32x4.mul(g, sigmoid);
      // d silu(g) / dg = sigmoid(g) + silu(g) · (1 − sigmoid(g))
      const slope = multiplyAdd(silu, f32x4.sub(one, sigmoid), sigmoid);
      v128.store(gateUp + at, f32x4.mul(f32x4.mul(gradient, u), slope));
      v128.store(gateUp + bytes + at, f32x4.mul(gradient, silu));
    }
    gateUp += 2 * bytes;
    dh += bytes;
  }
}

/** y[row] = x[row] · gains, number by number; y may be x. */
export function scaleColumns(rows: i32, width: i32, x: usize, gains: usize, y: usize): void {
  const bytes = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16)
      v128.store(y + at, f32x4.mul(v128.load(x + at), v128.load(gains + at)));
    x += bytes;
    y += bytes;
  }
}

/** x[row] += values, number by number. */
export function addToRows(rows: i32, width: i32, x: usize, values: usize): void {
  const bytes = <usize>width * 4;
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < bytes; at += 16)
      v128.store(x + at, f32x4.add(v128.load(x + at), v128.load(values + at)));
    x += bytes;
  }
}

/** x = factor · x, for `count` numbers, a multiple of 4. */
export function multiply(count: i32, x: usize, factor: f32): void {
  const factors = f32x4.splat(factor);
  for (let at: usize = 0; at < <usize>count * 4; at += 16) v128.store(x + at, f32x4.mul(v128.load(x + at), factors));
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
  const blocks = rows & ~3;
  const blockColumns = columns & ~3;
  for (let i = 0; i < blocks; i += 4)
    for (let j = 0; j < blockColumns; j += 4)
      transposeBlock(b + <usize>i * rowB + <usize>j * 4, rowB, out + <usize>j * rowOut + <usize>i * 4, rowOut);
  for (let i = 0; i < rows; i++)
    for (let j = i < blocks ? blockColumns : 0; j < columns; j++)
      store<f32>(out + <usize>j * rowOut + <usize>i * 4, load<f32>(b + <usize>i * rowB + <usize>j * 4));
}

/** Transposes 4 × 4 numbers. */
@inline
function transposeBlock(b: usize, rowB: usize, out: usize, rowOut: usize): void {
  const row0 = v128.load(b);
  const row1 = v128.load(b + rowB);
  const row2 = v128.load(b + 2 * rowB);
  const row3 = v128.load(b + 3 * rowB);
  const low01 = v128.shuffle<f32>(row0, row1, 0, 4, 1, 5);
  const low23 = v128.shuffle<f32>(row2, row3, 0, 4, 1, 5);
  const high01 = v128.shuffle<f32>(row0, row1, 2, 6, 3, 7);
  const high23 = v128.shuffle<f32>(row2, row3, 2, 6, 3, 7);
  v128.store(out, v128.shuffle<f32>(low01, low23, 0, 1, 4, 5));
  v128.store(out + rowOut, v128.shuffle<f32>(low01, low23, 2, 3, 6, 7));
  v128.store(out + 2 * rowOut, v128.shuffle<f32>(high01, high23, 0, 1, 4, 5));
  v128.store(out + 3 * rowOut, v128.shuffle<f32>(high01, high23, 2, 3, 6, 7));
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
      let at: usize = 0;
      for (; at + 32 <= bytes; at += 32) {
        const cosine0 = v128.load(cosines + position + at);
        const cosine1 = v128.load(cosines + position + at, 16);
        const sine0 = f32x4.mul(v128.load(sines + position + at), signs);
        const sine1 = f32x4.mul(v128.load(sines + position + at, 16), signs);
        const low0 = v128.load(head + at);
        const low1 = v128.load(head + at, 16);
        const high0 = v128.load(head + bytes + at);
        const high1 = v128.load(head + bytes + at, 16);
        v128.store(head + at, f32x4.sub(f32x4.mul(low0, cosine0), f32x4.mul(high0, sine0)));
        v128.store(head + at, f32x4.sub(f32x4.mul(low1, cosine1), f32x4.mul(high1, sine1)), 16);
        v128.store(head + bytes + at, f32x4.add(f32x4.mul(low0, sine0), f32x4.mul(high0, cosine0)));
        v128.store(head + bytes + at, f32x4.add(f32x4.mul(low1, sine1), f32x4.mul(high1, cosine1)), 16);
      }
      for (; at < bytes; at += 16) {
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
