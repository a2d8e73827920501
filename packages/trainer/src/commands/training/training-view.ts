import type { MetricsRow } from "../../report/metrics.ts";
import { meanOf } from "./sparkline.ts";

/** The state of a running training. */
export interface TrainingView {
  readonly title: string;
  /** In order, with their planned steps. */
  readonly phases: readonly { readonly name: string; readonly steps: number }[];
  /** All metrics so far. */
  readonly rows: readonly MetricsRow[];
  /** Seconds since the start of the run. */
  readonly seconds: number;
  /** Seconds since the last row. */
  readonly sinceRow: number;
  /** Whether tokens of the model cost money, so that they are shown. */
  readonly hasTokenCounts?: boolean;
  /** The last message, such as a checkpoint or a warning. */
  readonly message?: string;
}

/** The current phase and step of a run. */
export interface TrainingPosition {
  readonly phase: string;
  /** The phase's number, from 1. */
  readonly number: number;
  readonly step: number;
  readonly steps: number;
  /** The phase's training rows, without evaluations. */
  readonly rows: readonly MetricsRow[];
  /** Estimated seconds until the end of the phase; `undefined` before its second step. */
  readonly left: number | undefined;
}

/** Derives a run's position from its last row. */
export function positionOf({ phases, rows, sinceRow }: TrainingView): TrainingPosition {
  const phase = rows.at(-1)?.phase ?? phases[0]?.name ?? "";
  const index = Math.max(
    0,
    phases.findIndex(({ name }) => name === phase),
  );
  const within = rows.filter((row) => row.phase === phase && row.kind !== "eval");
  const step = within.at(-1)?.step ?? 0;
  const steps = Math.max(phases[index]?.steps ?? 0, step);
  return { phase, number: index + 1, step, steps, rows: within, left: left() };

  /** Extrapolates the pace of the last 50 steps, minus the time since the last row. */
  function left(): number | undefined {
    const recent = within.slice(-50);
    const first = recent[0];
    const last = recent.at(-1);
    if (first === undefined || last === undefined || last.step === first.step) return undefined;
    const pace = (last.at - first.at) / (last.step - first.step);
    return Math.max(0, (steps - step) * pace - sinceRow);
  }
}

const labels: Readonly<Record<string, string>> = {
  reward: "reward",
  score: "",
  length: "length",
  entropy: "entropy",
  clipFraction: "clip fraction",
  kl: "KL",
  approxKl: "KL to old",
  zeroVariance: "zero variance",
  loss: "loss",
  gradientNorm: "gradient norm",
};

/** A metric over the steps of a phase. */
export interface MetricSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** The metrics to show, the most informative first. */
export function metricSeries(rows: readonly MetricsRow[]): readonly MetricSeries[] {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  return Object.entries(labels).flatMap(([known, label]) =>
    names
      .filter((name) => (known === "score" ? name.startsWith("score/") : name === known))
      .map((name) => ({
        label: known === "score" ? name.slice(6) : label,
        values: rows.map(({ values }) => values[name] ?? null),
      })),
  );
}

/** The tokens of all steps, and the cost of the run so far; `undefined` if the price is unknown. */
export function usageOf(rows: readonly MetricsRow[]): { tokens: number; cost?: number } {
  const tokens = rows.reduce(
    (total, { values }) =>
      Object.entries(values).reduce(
        (sum, [name, value]) => (name.startsWith("tokens/") ? sum + (value ?? 0) : sum),
        total,
      ),
    0,
  );
  const cost = rows.findLast(({ values }) => typeof values["cost"] === "number")?.values["cost"];
  return typeof cost === "number" ? { tokens, cost } : { tokens };
}

/** The mean of a metric over the last five steps: single steps are noisy. */
export function recentMean(rows: readonly MetricsRow[], name: string): number | null {
  return meanOf(rows.slice(-5).map(({ values }) => values[name] ?? null));
}
