import type { Schedule } from "./phase-settings.ts";

/** The rate in step `step` (from 0) of `steps`, as a share of the full rate. It does not depend on time, so that runs are reproducible. */
export function rateAt(step: number, steps: number, schedule: Schedule): number {
  const { warmup, annealFrom, shape, floor } = schedule;
  const warmupFactor = Math.min(1, (step + 1) / Math.max(1, warmup));
  if (shape === "constant") return warmupFactor;
  const start = annealFrom * steps;
  const progress = Math.min(1, Math.max(0, (step - start) / Math.max(1, steps - start)));
  const decay = shape === "linear" ? 1 - progress : (1 + Math.cos(Math.PI * progress)) / 2;
  return warmupFactor * (floor + (1 - floor) * decay);
}
