/** Lengths in tokens. */
export interface OverlongSettings {
  /** Maximum length of a reply, at which the sampler ends it. */
  readonly maxTokens: number;
  /** Number of tokens before the maximum in which the penalty grows. */
  readonly buffer: number;
  /** The penalty of a reply of the maximum length. */
  readonly penalty: number;
}

/**
 * The soft penalty of a reply of `length` tokens: 0 up to `maxTokens − buffer`, then `−penalty · (length − (maxTokens −
 * buffer)) / buffer`, at least `−penalty` (DAPO, Yu et al. 2025, arXiv 2503.14476, eq. 13; TRL `get_soft_overlong_punishment`).
 */
export function overlongPenalty(
  length: number,
  { maxTokens, buffer, penalty }: OverlongSettings,
): number {
  const excess = (length - (maxTokens - buffer)) / buffer;
  return excess <= 0 ? 0 : -penalty * Math.min(excess, 1);
}
