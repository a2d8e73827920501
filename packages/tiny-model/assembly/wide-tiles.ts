import { multiplyAdd } from "./math";

@inline
function store16(c: usize, c0: v128, c1: v128, c2: v128, c3: v128, accumulate: bool): void {
  if (accumulate) {
    c0 = f32x4.add(c0, v128.load(c));
    c1 = f32x4.add(c1, v128.load(c, 16));
    c2 = f32x4.add(c2, v128.load(c, 32));
    c3 = f32x4.add(c3, v128.load(c, 48));
  }
  v128.store(c, c0);
  v128.store(c, c1, 16);
  v128.store(c, c2, 32);
  v128.store(c, c3, 48);
}

/** 6 rows × 16 columns of C, summed over `count` values of k. */
export function wide6(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a0 = a + 0 * rowA;
  let a1 = a + 1 * rowA;
  let a2 = a + 2 * rowA;
  let a3 = a + 3 * rowA;
  let a4 = a + 4 * rowA;
  let a5 = a + 5 * rowA;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c02 = f32x4.splat(0);
  let c03 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c12 = f32x4.splat(0);
  let c13 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c22 = f32x4.splat(0);
  let c23 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  let c32 = f32x4.splat(0);
  let c33 = f32x4.splat(0);
  let c40 = f32x4.splat(0);
  let c41 = f32x4.splat(0);
  let c42 = f32x4.splat(0);
  let c43 = f32x4.splat(0);
  let c50 = f32x4.splat(0);
  let c51 = f32x4.splat(0);
  let c52 = f32x4.splat(0);
  let c53 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b, 0);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const b3 = v128.load(b, 48);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    c02 = multiplyAdd(x0, b2, c02);
    c03 = multiplyAdd(x0, b3, c03);
    const x1 = v128.load32_splat(a1);
    c10 = multiplyAdd(x1, b0, c10);
    c11 = multiplyAdd(x1, b1, c11);
    c12 = multiplyAdd(x1, b2, c12);
    c13 = multiplyAdd(x1, b3, c13);
    const x2 = v128.load32_splat(a2);
    c20 = multiplyAdd(x2, b0, c20);
    c21 = multiplyAdd(x2, b1, c21);
    c22 = multiplyAdd(x2, b2, c22);
    c23 = multiplyAdd(x2, b3, c23);
    const x3 = v128.load32_splat(a3);
    c30 = multiplyAdd(x3, b0, c30);
    c31 = multiplyAdd(x3, b1, c31);
    c32 = multiplyAdd(x3, b2, c32);
    c33 = multiplyAdd(x3, b3, c33);
    const x4 = v128.load32_splat(a4);
    c40 = multiplyAdd(x4, b0, c40);
    c41 = multiplyAdd(x4, b1, c41);
    c42 = multiplyAdd(x4, b2, c42);
    c43 = multiplyAdd(x4, b3, c43);
    const x5 = v128.load32_splat(a5);
    c50 = multiplyAdd(x5, b0, c50);
    c51 = multiplyAdd(x5, b1, c51);
    c52 = multiplyAdd(x5, b2, c52);
    c53 = multiplyAdd(x5, b3, c53);
    a0 += stepA;
    a1 += stepA;
    a2 += stepA;
    a3 += stepA;
    a4 += stepA;
    a5 += stepA;
    b += rowB;
  }
  store16(c + 0 * rowC, c00, c01, c02, c03, accumulate);
  store16(c + 1 * rowC, c10, c11, c12, c13, accumulate);
  store16(c + 2 * rowC, c20, c21, c22, c23, accumulate);
  store16(c + 3 * rowC, c30, c31, c32, c33, accumulate);
  store16(c + 4 * rowC, c40, c41, c42, c43, accumulate);
  store16(c + 5 * rowC, c50, c51, c52, c53, accumulate);
}

/** 4 rows × 16 columns of C, summed over `count` values of k. */
export function wide4(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a0 = a + 0 * rowA;
  let a1 = a + 1 * rowA;
  let a2 = a + 2 * rowA;
  let a3 = a + 3 * rowA;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c02 = f32x4.splat(0);
  let c03 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c12 = f32x4.splat(0);
  let c13 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c22 = f32x4.splat(0);
  let c23 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  let c32 = f32x4.splat(0);
  let c33 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b, 0);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const b3 = v128.load(b, 48);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    c02 = multiplyAdd(x0, b2, c02);
    c03 = multiplyAdd(x0, b3, c03);
    const x1 = v128.load32_splat(a1);
    c10 = multiplyAdd(x1, b0, c10);
    c11 = multiplyAdd(x1, b1, c11);
    c12 = multiplyAdd(x1, b2, c12);
    c13 = multiplyAdd(x1, b3, c13);
    const x2 = v128.load32_splat(a2);
    c20 = multiplyAdd(x2, b0, c20);
    c21 = multiplyAdd(x2, b1, c21);
    c22 = multiplyAdd(x2, b2, c22);
    c23 = multiplyAdd(x2, b3, c23);
    const x3 = v128.load32_splat(a3);
    c30 = multiplyAdd(x3, b0, c30);
    c31 = multiplyAdd(x3, b1, c31);
    c32 = multiplyAdd(x3, b2, c32);
    c33 = multiplyAdd(x3, b3, c33);
    a0 += stepA;
    a1 += stepA;
    a2 += stepA;
    a3 += stepA;
    b += rowB;
  }
  store16(c + 0 * rowC, c00, c01, c02, c03, accumulate);
  store16(c + 1 * rowC, c10, c11, c12, c13, accumulate);
  store16(c + 2 * rowC, c20, c21, c22, c23, accumulate);
  store16(c + 3 * rowC, c30, c31, c32, c33, accumulate);
}

/** 2 rows × 16 columns of C, summed over `count` values of k. */
export function wide2(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a0 = a + 0 * rowA;
  let a1 = a + 1 * rowA;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c02 = f32x4.splat(0);
  let c03 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c12 = f32x4.splat(0);
  let c13 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b, 0);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const b3 = v128.load(b, 48);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    c02 = multiplyAdd(x0, b2, c02);
    c03 = multiplyAdd(x0, b3, c03);
    const x1 = v128.load32_splat(a1);
    c10 = multiplyAdd(x1, b0, c10);
    c11 = multiplyAdd(x1, b1, c11);
    c12 = multiplyAdd(x1, b2, c12);
    c13 = multiplyAdd(x1, b3, c13);
    a0 += stepA;
    a1 += stepA;
    b += rowB;
  }
  store16(c + 0 * rowC, c00, c01, c02, c03, accumulate);
  store16(c + 1 * rowC, c10, c11, c12, c13, accumulate);
}

/** 1 row × 16 columns of C, summed over `count` values of k. */
export function wide1(a: usize, rowA: usize, stepA: usize, b: usize, rowB: usize, c: usize, rowC: usize, count: i32, accumulate: bool): void {
  let a0 = a + 0 * rowA;
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c02 = f32x4.splat(0);
  let c03 = f32x4.splat(0);
  for (let k = 0; k < count; k++) {
    const b0 = v128.load(b, 0);
    const b1 = v128.load(b, 16);
    const b2 = v128.load(b, 32);
    const b3 = v128.load(b, 48);
    const x0 = v128.load32_splat(a0);
    c00 = multiplyAdd(x0, b0, c00);
    c01 = multiplyAdd(x0, b1, c01);
    c02 = multiplyAdd(x0, b2, c02);
    c03 = multiplyAdd(x0, b3, c03);
    a0 += stepA;
    b += rowB;
  }
  store16(c + 0 * rowC, c00, c01, c02, c03, accumulate);
}

