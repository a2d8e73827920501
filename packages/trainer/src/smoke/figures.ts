import type { Interval } from "./interval.ts";

/** A number with as many decimals as an error of `margin` leaves meaning to. */
export function figure(value: number, margin: number): string {
  const decimals = margin > 0 ? Math.floor(1 - Math.log10(margin)) : 2;
  const text = value.toFixed(Math.min(6, Math.max(0, decimals)));
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/** An interval in words. */
export function range({ low, high }: Interval): string {
  const margin = (high - low) / 2;
  return `${figure(low, margin)} to ${figure(high, margin)}`;
}

/** A share in words. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
