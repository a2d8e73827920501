/** A reward or score: at most three decimals. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  // Rounds away the error of a sum of decimals, which no author wrote.
  if (Math.abs(value) < 1e-9) return "0";
  if (Math.abs(value) < 0.001) return value.toExponential(1).replace("-", "−");
  return String(Math.round(value * 1000) / 1000).replace("-", "−");
}

/** A difference, with its sign. */
export function difference(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value);
}

export function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}

export function count(value: number): string {
  return value.toLocaleString("en");
}

/** “1 rollout”, “2 rollouts”. */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function seconds(value: number): string {
  if (value < 0.001) return "<1 ms";
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 60) return `${Math.round(value * 10) / 10} s`;
  const minutes = Math.floor(value / 60);
  return `${minutes} min ${Math.round(value % 60)} s`;
}

export function dollars(value: number): string {
  return value < 0.01 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;
}

export function dateTime(date: string | null): string {
  if (date === null || Number.isNaN(Date.parse(date))) return date ?? "";
  return new Date(date).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}
