/** A learning-rate schedule. It depends on the step, not on time, so that runs are reproducible. */
export interface Schedule {
  /** Number of steps in which the rate rises from 0. */
  readonly warmup: number;
  /** Share of the steps after which the rate decays. */
  readonly annealFrom: number;
  /** `constant` does not decay; `linear` and `cosine` decay to `floor`. */
  readonly shape: "constant" | "linear" | "cosine";
  /** Final rate, as a share of the full rate. */
  readonly floor: number;
}

/** The rate in step `step` (from 0) of `steps`, as a share of the full rate. */
export function rateAt(step: number, steps: number, schedule: Schedule): number {
  const { warmup, annealFrom, shape, floor } = schedule;
  const warmupFactor = Math.min(1, (step + 1) / Math.max(1, warmup));
  if (shape === "constant") return warmupFactor;
  const start = annealFrom * steps;
  const progress = Math.min(1, Math.max(0, (step - start) / Math.max(1, steps - start)));
  const decay = shape === "linear" ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2;
  return warmupFactor * (floor + (1 - floor) * decay);
}
