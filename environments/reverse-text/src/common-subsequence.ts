/**
 * The similarity of two texts: 2 × L ÷ (|left| + |right|), where L is the length of their longest common subsequence and
 * lengths count code points. 1 for equal texts (also two empty ones), 0 for texts without a common character.
 */
export function subsequenceRatio(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  const total = a.length + b.length;
  return total === 0 ? 1 : (2 * subsequenceLength(a, b)) / total;
}

/**
 * The length of the longest common subsequence, by the bit-parallel algorithm of Crochemore et al. (2001): a bigint holds
 * one row of the dynamic-programming table, a bit per element of `a`, so each element of `b` costs a few operations.
 */
function subsequenceLength(a: readonly string[], b: readonly string[]): number {
  const masks = new Map<string, bigint>();
  a.forEach((item, index) => masks.set(item, (masks.get(item) ?? 0n) | (1n << BigInt(index))));
  const all = (1n << BigInt(a.length)) - 1n;
  let row = all;
  for (const item of b) {
    const matches = row & (masks.get(item) ?? 0n);
    if (matches !== 0n) row = ((row + matches) | (row ^ matches)) & all;
  }
  return a.length - row.toString(2).replaceAll("0", "").length;
}
