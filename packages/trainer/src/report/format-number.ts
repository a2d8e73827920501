/** Formats a number with three significant digits: `0.31`, `38.2k`, `8e−4`. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.001) return typographicMinus(value.toExponential(1).replace(".0", ""));
  if (size >= 1_000_000) return typographicMinus(`${Number((value / 1_000_000).toPrecision(3))}M`);
  if (size >= 10_000) return typographicMinus(`${Number((value / 1000).toPrecision(3))}k`);
  return typographicMinus(String(Number(value.toPrecision(3))));
}

/** Replaces hyphens by minus signs, and `e+` by `e`. */
export function typographicMinus(text: string): string {
  return text.replace(/^[-−]/, "−").replaceAll(/e[-−]/g, "e−").replace("e+", "e");
}
