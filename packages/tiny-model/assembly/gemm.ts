import { multiplyAdd } from "./math";
import { wide1, wide2, wide4, wide6 } from "./wide-tiles";

/** C += A·B instead of C = A·B. */
const ACCUMULATE: i32 = 1;
/** Computes only the entries on and below the diagonal of C. */
const LOWER_RESULT: i32 = 2;
/** A is zero above its diagonal. */
const LOWER_LEFT: i32 = 4;
/** A is zero below its diagonal. */
const UPPER_LEFT: i32 = 8;

const ROWS: i32 = 6;
const COLUMNS: i32 = 8;

/** Room for one panel of B: 16 columns of up to 1,024 rows. */
const PANEL: usize = memory.data(65536, 64);
const PANEL_ROWS: i32 = 1024;
/** Copying a panel pays off from this number of rows of C. */
const PANEL_FROM: i32 = 24;

/**
 * C[m×n] = A[m×k] · B[k×n], all f32; `n` is a multiple of 8. Strides are in bytes; A has a row stride and a column stride,
 * so that Aᵀ needs no copy. Every entry is summed in the order of k, so that results do not depend on the batching of rows.
 */
export function gemm(
  m: i32, n: i32, k: i32,
  a: usize, rowA: usize, stepA: usize,
  b: usize, rowB: usize,
  c: usize, rowC: usize,
  flags: i32,
): void {
  const accumulate = (flags & ACCUMULATE) != 0;
  let j = 0;
  if (WIDE)
    for (; j + 16 <= n; j += 16) {
      let panel = b + <usize>j * 4;
      let rowPanel = rowB;
      if (m >= PANEL_FROM && k <= PANEL_ROWS) {
        copyPanel(k, panel, rowB);
        panel = PANEL;
        rowPanel = 64;
      }
      let i = (flags & LOWER_RESULT) != 0 ? max(0, j - ROWS + 1) / ROWS * ROWS : 0;
      while (i < m) {
        const rows = m - i >= ROWS ? ROWS : m - i >= 4 ? 4 : m - i >= 2 ? 2 : 1;
        const first = (flags & UPPER_LEFT) != 0 ? min(i, k) : 0;
        const last = (flags & LOWER_LEFT) != 0 ? min(i + rows, k) : k;
        const left = a + <usize>i * rowA + <usize>first * stepA;
        const right = panel + <usize>first * rowPanel;
        const out = c + <usize>i * rowC + <usize>j * 4;
        const count = last - first;
        if (rows == ROWS) wide6(left, rowA, stepA, right, rowPanel, out, rowC, count, accumulate);
        else if (rows == 4) wide4(left, rowA, stepA, right, rowPanel, out, rowC, count, accumulate);
        else if (rows == 2) wide2(left, rowA, stepA, right, rowPanel, out, rowC, count, accumulate);
        else wide1(left, rowA, stepA, right, rowPanel, out, rowC, count, accumulate);
        i += rows;
      }
    }
  for (; j < n; j += COLUMNS) {
    const column = <usize>j * 4;
    let i = (flags & LOWER_RESULT) != 0 ? max(0, j - ROWS + 1) / ROWS * ROWS : 0;
    while (i < m) {
      const rows = m - i >= ROWS ? ROWS : m - i >= 2 ? 2 : 1;
      const first = (flags & UPPER_LEFT) != 0 ? min(i, k) : 0;
      const last = (flags & LOWER_LEFT) != 0 ? min(i + rows, k) : k;
      const left = a + <usize>i * rowA + <usize>first * stepA;
      const right = b + <usize>first * rowB + column;
      const out = c + <usize>i * rowC + column;
      const count = last - first;
      if (rows == ROWS) tile6(left, rowA, stepA, right, rowB, out, rowC, count, accumulate);
      else if (rows == 2) tile2(left, rowA, stepA, right, rowB, out, rowC, count, accumulate);
      else tile1(left, rowA, stepA, right, rowB, out, rowC, count, accumulate);
      i += rows;
    }
  }
}

/** Copies 16 columns of B to the panel, so that its rows are adjacent in memory. */
function copyPanel(k: i32, b: usize, rowB: usize): void {
  let to = PANEL;
  for (let row = 0; row < k; row++) {
    v128.store(to, v128.load(b));
    v128.store(to, v128.load(b, 16), 16);
    v128.store(to, v128.load(b, 32), 32);
    v128.store(to, v128.load(b, 48), 48);
    b += rowB;
    to += 64;
  }
}

@inline
function store8(c: usize, low: v128, high: v128, accumulate: bool): void {
  if (accumulate) {
    low = f32x4.add(low, v128.load(c));
    high = f32x4.add(high, v128.load(c, 16));
  }
  v128.store(c, low);
  v128.store(c, high, 16);
}

/** 6 rows × 8 columns of C, over k from `first` to `last`. */
function tile6(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a1: usize = a + 1 * rowA;
  let a2: usize = a + 2 * rowA;
  let a3: usize = a + 3 * rowA;
  let a4: usize = a + 4 * rowA;
  let a5: usize = a + 5 * rowA;
  let a0: usize = a;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  let c40 = f32x4.splat(0);
  let c41 = f32x4.splat(0);
  let c50 = f32x4.splat(0);
  let c51 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    const x1 = v128.load32_splat(a1);
    c10 = multiplyAdd(x1, b0, c10);
    c11 = multiplyAdd(x1, b1, c11);
    const x2 = v128.load32_splat(a2);
    c20 = multiplyAdd(x2, b0, c20);
    c21 = multiplyAdd(x2, b1, c21);
    const x3 = v128.load32_splat(a3);
    c30 = multiplyAdd(x3, b0, c30);
    c31 = multiplyAdd(x3, b1, c31);
    const x4 = v128.load32_splat(a4);
    c40 = multiplyAdd(x4, b0, c40);
    c41 = multiplyAdd(x4, b1, c41);
    const x5 = v128.load32_splat(a5);
    c50 = multiplyAdd(x5, b0, c50);
    c51 = multiplyAdd(x5, b1, c51);
    a0 += stepA;
    a1 += stepA;
    a2 += stepA;
    a3 += stepA;
    a4 += stepA;
    a5 += stepA;
    b += rowB;
  }
  store8(c, c00, c01, accumulate);
  store8(c + 1 * rowC, c10, c11, accumulate);
  store8(c + 2 * rowC, c20, c21, accumulate);
  store8(c + 3 * rowC, c30, c31, accumulate);
  store8(c + 4 * rowC, c40, c41, accumulate);
  store8(c + 5 * rowC, c50, c51, accumulate);
}

/** 2 rows × 8 columns of C, over k from `first` to `last`. */
function tile2(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a1: usize = a + 1 * rowA;
  let a0: usize = a;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    const x1 = v128.load32_splat(a1);
    c10 = multiplyAdd(x1, b0, c10);
    c11 = multiplyAdd(x1, b1, c11);
    a0 += stepA;
    a1 += stepA;
    b += rowB;
  }
  store8(c, c00, c01, accumulate);
  store8(c + 1 * rowC, c10, c11, accumulate);
}

/** 1 row × 8 columns of C, over k from `first` to `last`. */
function tile1(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a0: usize = a;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    a0 += stepA;
    b += rowB;
  }
  store8(c, c00, c01, accumulate);
}
