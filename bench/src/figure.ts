/** One measurement, with what it should be. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The result of the median repetition; `value` is the result of the best. */
  readonly median?: number;
  /** What we aim at, and which side of it is good. */
  readonly aim?: { readonly at: "most" | "least"; readonly value: number };
}

/** Whether a figure is on the good side of its aim. */
export function isMet({ value, aim }: Figure): boolean {
  if (aim === undefined) return true;
  return aim.at === "most" ? value <= aim.value : value >= aim.value;
}

/** Runs `measure` several times and keeps the best: what the machine can do when left alone. */
export async function best(
  times: number,
  measure: () => Promise<number>,
  better: "least" | "most" = "least",
): Promise<number> {
  const values: number[] = [];
  for (let time = 0; time < times; time += 1) values.push(await measure());
  return better === "least" ? Math.min(...values) : Math.max(...values);
}

/** Seconds that `work` takes. */
export async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
