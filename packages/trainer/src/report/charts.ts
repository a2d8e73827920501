import type { MetricsRow } from "./metrics.ts";
import { curveKey, outcomeColors, type Section, type Series, sections } from "./series.ts";
import { type Point, smooth, smoothingRadius } from "./smoothing.ts";

/** A phase on the horizontal axis, on which phases follow each other. */
export interface PhaseSpan {
  readonly name: string;
  /** The position of its step 0. */
  readonly start: number;
  readonly steps: number;
}

/** One curve. `points` are the measurements; `smoothed` is drawn on top of them, if defined. */
export interface Curve {
  readonly name: string;
  readonly color: string;
  readonly points: readonly Point[];
  readonly smoothed: readonly Point[] | undefined;
  /** Whether each point is marked, because there are few. */
  readonly isSparse: boolean;
}

/** The content of one plot. */
export interface Chart extends Series {
  /** The name of its file, without an extension. */
  readonly file: string;
  readonly curves: readonly Curve[];
  /** The phases from its first measurement to its last. */
  readonly phases: readonly PhaseSpan[];
}

const sectionColors: Readonly<Record<Section, string>> = {
  Reward: "#1f6fb4",
  Evaluation: "#1f6fb4",
  Text: "#0b8a6b",
  Optimisation: "#7a4fa3",
  Speed: "#b3611b",
};
const seriesColors = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8a8a8a"];
const evaluationColor = "#d9480f";

interface ChartDraft {
  readonly series: Series;
  readonly curves: Map<string, CurveDraft>;
}

interface CurveDraft {
  readonly kind: MetricsRow["kind"];
  /** The points of each phase. */
  readonly segments: Map<string, Point[]>;
}

/** The phases of a run, in order. */
function phaseSpans(rows: readonly MetricsRow[]): readonly PhaseSpan[] {
  const steps = new Map<string, number>();
  for (const { phase, step } of rows) steps.set(phase, Math.max(steps.get(phase) ?? 0, step));
  let start = 0;
  return [...steps].map(([name, length]) => {
    const span = { name, start, steps: length };
    start += length;
    return span;
  });
}

/** Assigns each value of each row to a chart. A metric without any value has no chart. */
export function chartsOf(rows: readonly MetricsRow[]): readonly Chart[] {
  const phases = phaseSpans(rows);
  const starts = new Map(phases.map(({ name, start }) => [name, start]));
  const drafts = new Map<string, ChartDraft>();
  for (const { phase, step, kind, values } of rows) {
    for (const [name, value] of Object.entries(values)) {
      const { chart, curve, series } = curveKey(name, kind);
      const draft = drafts.get(chart) ?? { series, curves: new Map() };
      drafts.set(chart, draft);
      const segments = draft.curves.get(curve)?.segments ?? new Map<string, Point[]>();
      draft.curves.set(curve, { kind, segments });
      const segment = segments.get(phase) ?? [];
      segments.set(phase, segment);
      segment.push({ x: starts.get(phase)! + step, y: plottable(value) });
    }
  }
  const files = new Set(["overview"]);
  return [...drafts]
    .filter(([, draft]) => hasMeasurement(draft))
    .map(([id, draft]) => buildChart(draft, phases, uniqueName(fileName(id), files)))
    .toSorted((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section));
}

function hasMeasurement({ curves }: ChartDraft): boolean {
  return [...curves.values()].some(({ segments }) =>
    [...segments.values()].some((segment) => segment.some(({ y }) => y !== null)),
  );
}

/** Values beyond 1e100 would overflow the arithmetic of an axis. */
function plottable(value: number | null): number | null {
  return value === null || !(Math.abs(value) <= 1e100) ? null : value;
}

function buildChart(
  { series, curves }: ChartDraft,
  phases: readonly PhaseSpan[],
  file: string,
): Chart {
  const points = [...curves.values()].flatMap(({ segments }) => [...segments.values()].flat());
  const first = points.reduce((a, { x }) => Math.min(a, x), Infinity);
  const last = points.reduce((a, { x }) => Math.max(a, x), -Infinity);
  const visiblePhases = phases.filter(({ start, steps }) => start + steps > first && start < last);
  const isLogarithmic =
    series.isLogarithmic === true && points.every(({ y }) => y === null || y > 0);
  const style = { series, isLogarithmic };
  return {
    ...series,
    isLogarithmic,
    file,
    phases:
      visiblePhases.length > 0
        ? visiblePhases
        : phases.filter(({ start }) => start <= first).slice(-1),
    curves: [...curves]
      .toSorted(([a], [b]) => curveOrder(a) - curveOrder(b))
      .map(([name, draft], index) => buildCurve(name, draft, { ...style, index })),
  };
}

function buildCurve(
  name: string,
  { kind, segments }: CurveDraft,
  { series, isLogarithmic, index }: { series: Series; isLogarithmic: boolean; index: number },
): Curve {
  const measured = [...segments.values()];
  const isSparse = kind === "eval" || measured.flat().length < 16;
  const color = kind === "eval" ? evaluationColor : sectionColors[series.section];
  const isNamed = series.section === "Evaluation" || (name !== "training" && kind !== "eval");
  const outcomeColor = outcomeColors[name] ?? seriesColors[index % seriesColors.length]!;
  const smoothed = measured.map((segment) =>
    smooth(segment, smoothingRadius(segment.length), isLogarithmic),
  );
  return {
    name,
    color: isNamed ? outcomeColor : color,
    points: kind === "eval" ? measured.flat() : joinWithGaps(measured),
    isSparse,
    smoothed: isSparse || series.isExact === true ? undefined : joinWithGaps(smoothed),
  };
}

/** Joins the segments of phases with gaps, because a phase changes the meaning of its metrics. */
function joinWithGaps(segments: readonly (readonly Point[])[]): readonly Point[] {
  return segments.flatMap((segment, index) =>
    index === 0 ? segment : [{ x: segment[0]?.x ?? 0, y: null }, ...segment],
  );
}

function fileName(id: string): string {
  const words = id.replaceAll(/(?<=[a-z\d])(?=[A-Z])|[^\p{L}\p{N}]+/gu, "-");
  return words.toLowerCase().replaceAll(/^-|-$/g, "") || "chart";
}

/** Sorts outcomes first, in their own order, then training, then evaluations. */
function curveOrder(curve: string): number {
  const index = Object.keys(outcomeColors).indexOf(curve);
  return index === -1 ? 99 + Number(curve === "evaluation") : index;
}

/** Appends a number to a name that is already in use, and records the result. */
function uniqueName(name: string, usedNames: Set<string>): string {
  let unique = name;
  for (let number = 2; usedNames.has(unique); number += 1) unique = `${name}-${number}`;
  usedNames.add(unique);
  return unique;
}
