/** How a rate changes over the steps of a phase. By step, never by the clock: a run can be repeated. */
export interface Schedule {
  /** Steps in which it grows from 0. */
  readonly warmup: number;
  /** From this share of the steps on it falls. */
  readonly annealFrom: number;
  /** `constant`: it does not fall; `linear` and `cosine`: it falls to `floor`. */
  readonly shape: "constant" | "linear" | "cosine";
  /** The share of the rate that is left at the end. */
  readonly floor: number;
}

/** The share of the full rate in step `step` (from 0) of `steps`. */
export function rateAt(step: number, steps: number, schedule: Schedule): number {
  const { warmup, annealFrom, shape, floor } = schedule;
  const grown = Math.min(1, (step + 1) / Math.max(1, warmup));
  if (shape === "constant") return grown;
  const begin = annealFrom * steps;
  const done = Math.min(1, Math.max(0, (step - begin) / Math.max(1, steps - begin)));
  const left = shape === "linear" ? 1 - done : (1 + Math.cos(Math.PI * done)) / 2;
  return grown * (floor + (1 - floor) * left);
}
