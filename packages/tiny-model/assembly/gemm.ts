import { narrow1, narrow2, narrow6, wide1, wide2, wide4, wide6 } from "./tiles";

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
      if (rows == ROWS) narrow6(left, rowA, stepA, right, rowB, out, rowC, count, accumulate);
      else if (rows == 2) narrow2(left, rowA, stepA, right, rowB, out, rowC, count, accumulate);
      else narrow1(left, rowA, stepA, right, rowB, out, rowC, count, accumulate);
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
