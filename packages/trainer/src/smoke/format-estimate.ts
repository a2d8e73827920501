import type { Interval } from "@envs/records";

/** Formats a number with the decimals that are significant for an error of `margin`. */
export function formatEstimate(value: number, margin: number): string {
  // Sums of equal numbers differ by rounding.
  const decimals = margin > 1e-9 ? Math.floor(1 - Math.log10(margin)) : 2;
  const text = value.toFixed(Math.min(6, Math.max(0, decimals)));
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** Formats the bounds of an interval: `0.06 to 0.14`. */
export function formatInterval({ low, high }: Interval): string {
  const margin = (high - low) / 2;
  return `${formatEstimate(low, margin)} to ${formatEstimate(high, margin)}`;
}

export function formatPercent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
