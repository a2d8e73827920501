import type { MetricsRow } from "./metrics.ts";
import { placeOf } from "./place.ts";
import { outcomeColors, type Section, type Series, sections } from "./series.ts";
import { type Point, reach, smooth } from "./smooth.ts";

/** A phase on the axis of steps, which goes on from phase to phase. */
export interface PhaseSpan {
  readonly name: string;
  /** Where its step 0 is. */
  readonly start: number;
  readonly steps: number;
}

/** One curve. `points` are as measured; where `smoothed` is given, it is drawn on top and they are light. */
export interface Curve {
  readonly name: string;
  readonly color: string;
  readonly points: readonly Point[];
  readonly smoothed: readonly Point[] | undefined;
  /** Measured now and then: points are marked. */
  readonly isSparse: boolean;
}

/** What one plot shows. */
export interface Chart extends Series {
  /** The name of its file, without an ending. */
  readonly file: string;
  readonly curves: readonly Curve[];
  /** The phases that it has values of, and those between. */
  readonly phases: readonly PhaseSpan[];
}

const sectionColors: Readonly<Record<Section, string>> = {
  Reward: "#1f6fb4",
  Evaluation: "#1f6fb4",
  Text: "#0b8a6b",
  Optimisation: "#7a4fa3",
  Speed: "#b3611b",
};
const others = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8a8a8a"];
const evaluationColor = "#d9480f";

interface Draft {
  readonly series: Series;
  readonly curves: Map<string, DraftCurve>;
}

interface DraftCurve {
  readonly kind: MetricsRow["kind"];
  /** The points of each phase. */
  readonly pieces: Map<string, Point[]>;
}

/** The phases of a run in their order, laid end to end. */
function phasesOf(rows: readonly MetricsRow[]): readonly PhaseSpan[] {
  const steps = new Map<string, number>();
  for (const { phase, step } of rows) steps.set(phase, Math.max(steps.get(phase) ?? 0, step));
  let start = 0;
  return [...steps].map(([name, length]) => {
    const span = { name, start, steps: length };
    start += length;
    return span;
  });
}

/** Sorts everything that was measured into charts: each value of each row is on one of them. What was never to be had has none. */
export function chartsOf(rows: readonly MetricsRow[]): readonly Chart[] {
  const phases = phasesOf(rows);
  const starts = new Map(phases.map(({ name, start }) => [name, start]));
  const drafts = new Map<string, Draft>();
  for (const { phase, step, kind, values } of rows) {
    for (const [name, value] of Object.entries(values)) {
      const { chart, curve, series } = placeOf(name, kind);
      const draft = drafts.get(chart) ?? { series, curves: new Map() };
      drafts.set(chart, draft);
      const pieces = draft.curves.get(curve)?.pieces ?? new Map<string, Point[]>();
      draft.curves.set(curve, { kind, pieces });
      const piece = pieces.get(phase) ?? [];
      pieces.set(phase, piece);
      piece.push({ x: starts.get(phase)! + step, y: drawable(value) });
    }
  }
  const files = new Set(["overview"]);
  return [...drafts]
    .filter(([, draft]) => isMeasured(draft))
    .map(([id, draft]) => finish(draft, phases, unused(fileName(id), files)))
    .toSorted((a, b) => sections.indexOf(a.section) - sections.indexOf(b.section));
}

function isMeasured({ curves }: Draft): boolean {
  return [...curves.values()].some(({ pieces }) =>
    [...pieces.values()].some((piece) => piece.some(({ y }) => y !== null)),
  );
}

/** Beyond 1e100 arithmetic on an axis overflows. */
function drawable(value: number | null): number | null {
  return value === null || !(Math.abs(value) <= 1e100) ? null : value;
}

function finish({ series, curves }: Draft, phases: readonly PhaseSpan[], file: string): Chart {
  const all = [...curves.values()].flatMap(({ pieces }) => [...pieces.values()].flat());
  const least = all.reduce((a, { x }) => Math.min(a, x), Infinity);
  const most = all.reduce((a, { x }) => Math.max(a, x), -Infinity);
  const shown = phases.filter(({ start, steps }) => start + steps > least && start < most);
  const isLogarithmic = series.isLogarithmic === true && all.every(({ y }) => y === null || y > 0);
  const style = { series, isLogarithmic };
  return {
    ...series,
    isLogarithmic,
    file,
    phases: shown.length > 0 ? shown : phases.filter(({ start }) => start <= least).slice(-1),
    curves: [...curves]
      .toSorted(([a], [b]) => order(a) - order(b))
      .map(([name, draft], index) => curveOf(name, draft, { ...style, index })),
  };
}

function curveOf(
  name: string,
  { kind, pieces }: DraftCurve,
  { series, isLogarithmic, index }: { series: Series; isLogarithmic: boolean; index: number },
): Curve {
  const measured = [...pieces.values()];
  const isSparse = kind === "eval" || measured.flat().length < 16;
  const color = kind === "eval" ? evaluationColor : sectionColors[series.section];
  const outcomeColor = outcomeColors[name] ?? others[index % others.length]!;
  const smoothed = measured.map((piece) => smooth(piece, reach(piece.length), isLogarithmic));
  return {
    name,
    color: series.section === "Evaluation" ? outcomeColor : color,
    points: kind === "eval" ? measured.flat() : apart(measured),
    isSparse,
    smoothed: isSparse || series.isExact === true ? undefined : apart(smoothed),
  };
}

/** A phase changes what is measured: no line goes from one into the next. */
function apart(pieces: readonly (readonly Point[])[]): readonly Point[] {
  return pieces.flatMap((piece, index) =>
    index === 0 ? piece : [{ x: piece[0]?.x ?? 0, y: null }, ...piece],
  );
}

function fileName(id: string): string {
  const words = id.replaceAll(/(?<=[a-z\d])(?=[A-Z])|[^\p{L}\p{N}]+/gu, "-");
  return words.toLowerCase().replaceAll(/^-|-$/g, "") || "chart";
}

/** Outcomes in their own order, before everything else; evaluations after training. */
function order(curve: string): number {
  const place = Object.keys(outcomeColors).indexOf(curve);
  return place === -1 ? 99 + Number(curve === "evaluation") : place;
}

function unused(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}-${number}`;
  taken.add(free);
  return free;
}
