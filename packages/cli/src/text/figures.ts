import type { SubModelUsage } from "@envs/core";

/** Formats a number with up to three decimals, without trailing zeros; `–` for a missing value. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) < 0.001 ? value.toExponential(1) : String(Number(value.toFixed(3)));
}

/** Formats a share as a percentage. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${Number(((100 * part) / whole).toFixed(1))}%`;
}

/** The calls and tokens of a judge or of a sub-model. */
export function callFigures(usage: SubModelUsage & { readonly cached?: number }): string {
  const { calls, cached = 0, inputTokens, outputTokens, unknownCalls } = usage;
  const count = `${calls} ${calls === 1 ? "call" : "calls"}${cached > 0 ? ` and ${cached} cached` : ""}`;
  if (inputTokens + outputTokens === 0) return count;
  const least = unknownCalls > 0 ? "at least " : "";
  return `${count}, ${least}${inputTokens.toLocaleString("en")} in, ${outputTokens.toLocaleString("en")} out`;
}
