/** The quantile of the normal distribution that 2.5 % lie beyond. */
const z = 1.959_963_984_540_054;

/**
 * The 95 % confidence interval of a share, of which `hits` of `count` were seen:
 * (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n) (Wilson 1927). Unlike p ± 1.96 σ it holds near 0 and 1.
 */
export function wilson(hits: number, count: number): readonly [low: number, high: number] {
  if (count === 0) return [0, 1];
  const share = hits / count;
  const middle = share + z ** 2 / (2 * count);
  const margin = z * Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  const scale = 1 + z ** 2 / count;
  // Rounding may lead a hair beyond what was seen.
  return [
    hits === 0 ? 0 : Math.max(0, (middle - margin) / scale),
    hits === count ? 1 : Math.min(1, (middle + margin) / scale),
  ];
}
