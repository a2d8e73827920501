import { meanOf } from "./sparkline.ts";

/** What was measured at a step: a row of `metrics.jsonl`. */
export interface TrainingRow {
  readonly phase: string;
  /** Counted within the phase, from 1. */
  readonly step: number;
  readonly kind: "sft" | "rl" | "eval";
  /** Seconds since the start of the run. */
  readonly at: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** What is shown of a training run that is under way. */
export interface TrainingView {
  readonly title: string;
  /** In their order, with the steps that are planned. */
  readonly phases: readonly { readonly name: string; readonly steps: number }[];
  /** Everything that was measured so far. */
  readonly rows: readonly TrainingRow[];
  /** Seconds since the start of the run. */
  readonly seconds: number;
  /** What was said last: a checkpoint, a warning. */
  readonly message?: string;
}

/** Where a run is. */
export interface Position {
  readonly phase: string;
  /** From 1. */
  readonly number: number;
  readonly step: number;
  readonly steps: number;
  /** The rows of training of this phase. */
  readonly rows: readonly TrainingRow[];
  /** Seconds that the phase will still take; `undefined` before its second step. */
  readonly left: number | undefined;
}

/** Finds out where a run is from what was measured last. */
export function positionOf({ phases, rows, seconds }: TrainingView): Position {
  const phase = rows.at(-1)?.phase ?? phases[0]?.name ?? "";
  const index = Math.max(
    0,
    phases.findIndex(({ name }) => name === phase),
  );
  const within = rows.filter((row) => row.phase === phase && row.kind !== "eval");
  const step = within.at(-1)?.step ?? 0;
  const steps = Math.max(phases[index]?.steps ?? 0, step);
  return { phase, number: index + 1, step, steps, rows: within, left: left() };

  /** At the pace of the last steps; time that passed since the last one counts. */
  function left(): number | undefined {
    const recent = within.slice(-50);
    const first = recent[0];
    const last = recent.at(-1);
    if (first === undefined || last === undefined || last.step === first.step) return undefined;
    const pace = (last.at - first.at) / (last.step - first.step);
    return Math.max(0, (steps - step) * pace - Math.max(0, seconds - last.at));
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

/** One quantity over the steps of a phase. */
export interface Trace {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** The quantities worth watching that were measured, the most telling first. */
export function tracesOf(rows: readonly TrainingRow[]): readonly Trace[] {
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

/** The mean of a quantity over the last steps: one step says little. */
export function lately(rows: readonly TrainingRow[], name: string): number | null {
  return meanOf(rows.slice(-5).map(({ values }) => values[name] ?? null));
}
