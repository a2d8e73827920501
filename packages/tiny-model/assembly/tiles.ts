import { multiplyAdd } from "./math";

/** 6 rows × 16 columns of C, summed over `count` values of k; adds to C if `accumulate`. */
export function wide6(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  tile(6, 16, a, rowA, stepA, b, rowB, c, rowC, count, accumulate);
}

/** 4 rows × 16 columns. */
export function wide4(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  tile(4, 16, a, rowA, stepA, b, rowB, c, rowC, count, accumulate);
}

/** 2 rows × 16 columns. */
export function wide2(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  tile(2, 16, a, rowA, stepA, b, rowB, c, rowC, count, accumulate);
}

/** 1 row × 16 columns. */
export function wide1(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  tile(1, 16, a, rowA, stepA, b, rowB, c, rowC, count, accumulate);
}

/** 6 rows × 8 columns. */
export function narrow6(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  tile(6, 8, a, rowA, stepA, b, rowB, c, rowC, count, accumulate);
}

/** 2 rows × 8 columns. */
export function narrow2(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  tile(2, 8, a, rowA, stepA, b, rowB, c, rowC, count, accumulate);
}

/** 1 row × 8 columns. */
export function narrow1(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  tile(1, 8, a, rowA, stepA, b, rowB, c, rowC, count, accumulate);
}

/**
 * 1, 2, 4 or 6 rows × 8 or 16 columns of C. It is inlined with constants for `rows` and `columns`, so that the compiler removes
 * the sums that a smaller tile does not have.
 */
@inline
function tile(rows: i32, columns: i32, a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a0 = a;
  let a1 = a + 1 * rowA;
  let a2 = a + 2 * rowA;
  let a3 = a + 3 * rowA;
  let a4 = a + 4 * rowA;
  let a5 = a + 5 * rowA;
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0), c02 = f32x4.splat(0), c03 = f32x4.splat(0);
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0), c12 = f32x4.splat(0), c13 = f32x4.splat(0);
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0), c22 = f32x4.splat(0), c23 = f32x4.splat(0);
  let c30 = f32x4.splat(0), c31 = f32x4.splat(0), c32 = f32x4.splat(0), c33 = f32x4.splat(0);
  let c40 = f32x4.splat(0), c41 = f32x4.splat(0), c42 = f32x4.splat(0), c43 = f32x4.splat(0);
  let c50 = f32x4.splat(0), c51 = f32x4.splat(0), c52 = f32x4.splat(0), c53 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    const b2 = columns > 8 ? v128.load(b, 32) : b0;
    const b3 = columns > 8 ? v128.load(b, 48) : b0;
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    if (columns > 8) {
      c02 = multiplyAdd(x0, b2, c02);
      c03 = multiplyAdd(x0, b3, c03);
    }
    a0 += stepA;
    if (rows > 1) {
      const x1 = v128.load32_splat(a1);
      c10 = multiplyAdd(x1, b0, c10);
      c11 = multiplyAdd(x1, b1, c11);
      if (columns > 8) {
        c12 = multiplyAdd(x1, b2, c12);
        c13 = multiplyAdd(x1, b3, c13);
      }
      a1 += stepA;
    }
    if (rows > 2) {
      const x2 = v128.load32_splat(a2);
      c20 = multiplyAdd(x2, b0, c20);
      c21 = multiplyAdd(x2, b1, c21);
      if (columns > 8) {
        c22 = multiplyAdd(x2, b2, c22);
        c23 = multiplyAdd(x2, b3, c23);
      }
      const x3 = v128.load32_splat(a3);
      c30 = multiplyAdd(x3, b0, c30);
      c31 = multiplyAdd(x3, b1, c31);
      if (columns > 8) {
        c32 = multiplyAdd(x3, b2, c32);
        c33 = multiplyAdd(x3, b3, c33);
      }
      a2 += stepA;
      a3 += stepA;
    }
    if (rows > 4) {
      const x4 = v128.load32_splat(a4);
      c40 = multiplyAdd(x4, b0, c40);
      c41 = multiplyAdd(x4, b1, c41);
      if (columns > 8) {
        c42 = multiplyAdd(x4, b2, c42);
        c43 = multiplyAdd(x4, b3, c43);
      }
      const x5 = v128.load32_splat(a5);
      c50 = multiplyAdd(x5, b0, c50);
      c51 = multiplyAdd(x5, b1, c51);
      if (columns > 8) {
        c52 = multiplyAdd(x5, b2, c52);
        c53 = multiplyAdd(x5, b3, c53);
      }
      a4 += stepA;
      a5 += stepA;
    }
    b += rowB;
  }
  storeRow(columns, c, c00, c01, c02, c03, accumulate);
  if (rows > 1) storeRow(columns, c + 1 * rowC, c10, c11, c12, c13, accumulate);
  if (rows > 2) storeRow(columns, c + 2 * rowC, c20, c21, c22, c23, accumulate);
  if (rows > 2) storeRow(columns, c + 3 * rowC, c30, c31, c32, c33, accumulate);
  if (rows > 4) storeRow(columns, c + 4 * rowC, c40, c41, c42, c43, accumulate);
  if (rows > 4) storeRow(columns, c + 5 * rowC, c50, c51, c52, c53, accumulate);
}

@inline
function storeRow(columns: i32, c: usize, c0: v128, c1: v128, c2: v128, c3: v128, accumulate: bool): void {
  if (accumulate) {
    c0 = f32x4.add(c0, v128.load(c));
    c1 = f32x4.add(c1, v128.load(c, 16));
    if (columns > 8) {
      c2 = f32x4.add(c2, v128.load(c, 32));
      c3 = f32x4.add(c3, v128.load(c, 48));
    }
  }
  v128.store(c, c0);
  v128.store(c, c1, 16);
  if (columns > 8) {
    v128.store(c, c2, 32);
    v128.store(c, c3, 48);
  }
}
