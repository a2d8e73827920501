const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en");

/** A reward or a score with three digits after the point; a dash for a missing one. */
export function score(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(3);
  return Number(text) === 0 ? "0.000" : text.replace("-", "−");
}

/** A difference with its sign. */
export function difference(value: number): string {
  const text = score(value);
  return value > 0 && text !== "0.000" ? `+${text}` : text;
}

export function interval(value: { readonly low: number; readonly high: number } | null): string {
  return value === null ? "–" : `${score(value.low)} to ${score(value.high)}`;
}

export function percent(value: number | undefined): string {
  return value === undefined ? "–" : `${(100 * value).toFixed(1)} %`;
}

export function count(value: number): string {
  return whole.format(value);
}

/** A large number in three or four characters, such as 1.2M. */
export function short(value: number): string {
  return compact.format(value);
}

/** A cost in the currency of the prices, which the run does not name. */
export function cost(value: number | null): string {
  if (value === null) return "–";
  return value > 0 && value < 0.01 ? value.toPrecision(2) : value.toFixed(2);
}

/** The noun in the singular or the plural, after its number. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A number with at most three digits after the point. */
export function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
