/** A bound that a value should respect. */
export interface Aim {
  readonly at: "most" | "least";
  readonly value: number;
}

/** One measurement and its aim. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The result of the median repetition; `value` is the result of the best. */
  readonly median?: number | undefined;
  readonly aim?: Aim | undefined;
}

/** Whether a figure reaches its aim; `true` without one. */
export function isMet({ value, aim }: Figure): boolean {
  if (aim === undefined) return true;
  return aim.at === "most" ? value <= aim.value : value >= aim.value;
}

/** Repeats a measurement and returns the best value, the least disturbed by other load. */
export async function best(
  times: number,
  measure: () => Promise<number>,
  better: "least" | "most" = "least",
): Promise<number> {
  const values: number[] = [];
  for (let time = 0; time < times; time += 1) values.push(await measure());
  return better === "least" ? Math.min(...values) : Math.max(...values);
}

/** Measures the duration of `work` in seconds. */
export async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
