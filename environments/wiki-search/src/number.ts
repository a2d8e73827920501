const format = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });

/** A number as articles write it: `472,317`. */
export function grouped(value: number): string {
  return format.format(value);
}
