import { extent } from "d3-array";
import { scaleLinear, type ScaleLinear, scaleLog, type ScaleLogarithmic } from "d3-scale";

import type { Chart, PhaseSpan } from "./charts.ts";

/** Turns values into places, and names some of them. */
export interface Axis {
  place(value: number): number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

/** The vertical axis of a chart; its places go from `bottom` up to `top`. */
export function valueAxis(chart: Chart, { top, bottom }: { top: number; bottom: number }): Axis {
  const values = chart.curves.flatMap(({ points }) =>
    points.flatMap(({ y }) => (y === null ? [] : [y])),
  );
  const [least = 0, most = 1] = extent(values);
  const isLogarithmic = chart.isLogarithmic === true && least > 0 && most / least > 30;
  const count = bottom - top > 200 ? 6 : 4;
  if (isLogarithmic) {
    const scale = scaleLog([least / 1.1, most * 1.1], [bottom, top]);
    return { place: (value) => scale(value), ticks: powers(scale) };
  }
  const scale = scaleLinear(domain(chart, [least, most]), [bottom, top]).nice(count);
  return { place: (value) => scale(value), ticks: steps(scale, count, chart.isShare === true) };
}

/** Shares of games fill the whole; other values that come near zero start there. */
function domain(chart: Chart, [least, most]: readonly [number, number]): [number, number] {
  if (chart.isShare === true && (chart.section === "Evaluation" || most > 0.7)) return [0, 1];
  const from = least >= 0 && least < most * 0.6 ? 0 : least;
  const size = Math.max(Math.abs(from), Math.abs(most));
  // Closer than that, there are no numbers between them for ticks.
  if (most - from > size * 1e-9 && size > 1e-100) return [from, most];
  if (size <= 1e-100) return [0, chart.isShare === true ? 0.1 : 1];
  return [Math.min(0, most), Math.max(0, most)];
}

function steps(scale: ScaleLinear<number, number>, count: number, isShare: boolean): Axis["ticks"] {
  const most = Math.max(...scale.domain().map(Math.abs));
  const text = scale.tickFormat(count, isShare ? "~%" : undefined);
  const isExtreme = !isShare && (most >= 10_000 || most < 0.001);
  return scale.ticks(count).map((value) => ({
    at: scale(value),
    text: isExtreme ? shortFigure(value) : minus(text(value)),
  }));
}

function powers(scale: ScaleLogarithmic<number, number>): Axis["ticks"] {
  const [least = 1, most = 1] = scale.domain();
  const leading = most / least > 2000 ? [1] : most / least > 50 ? [1, 3] : [1, 2, 5];
  return scale
    .ticks()
    .filter((value) => leading.includes(Number(value.toExponential(0)[0])))
    .map((value) => ({ at: scale(value), text: shortFigure(value) }));
}

/** The horizontal axis: steps, counted anew in each phase. */
export function stepAxis(
  phases: readonly PhaseSpan[],
  { left, right }: { left: number; right: number },
): Axis {
  const first = phases[0]?.start ?? 0;
  const last = phases.at(-1);
  const end = last === undefined ? 1 : last.start + last.steps;
  const scale = scaleLinear([first, Math.max(end, first + 1)], [left, right]);
  const ticks = phases.flatMap(({ start, steps: length }, index) => {
    const width = scale(start + length) - scale(start);
    const isLast = index === phases.length - 1;
    return scaleLinear([0, Math.max(length, 1)], [0, 1])
      .ticks(Math.max(1, Math.floor(width / 70)))
      .filter((step) => Number.isInteger(step) && step <= length && (step > 0 || index === 0))
      .map((step) => ({ at: scale(start + step), text: String(step) }))
      .filter(({ at }) => isLast || at < scale(start + length) - 14 || at === scale(start));
  });
  return { place: (value) => scale(value), ticks: apart(ticks) };
}

/** Leaves out ticks that would touch the one before. */
function apart(ticks: Axis["ticks"]): Axis["ticks"] {
  const kept: { readonly at: number; readonly text: string }[] = [];
  for (const tick of ticks) if (tick.at - (kept.at(-1)?.at ?? -99) >= 26) kept.push(tick);
  return kept;
}

/** A value as short as it stays telling: `0.31`, `38.2k`, `8e-4`. */
export function shortFigure(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 0.001) return minus(value.toExponential(1).replace(".0", ""));
  if (size >= 1_000_000) return minus(`${Number((value / 1_000_000).toPrecision(3))}M`);
  if (size >= 10_000) return minus(`${Number((value / 1000).toPrecision(3))}k`);
  return minus(String(Number(value.toPrecision(3))));
}

/** With a true minus sign. */
function minus(text: string): string {
  return text.replace(/^[-−]/, "−").replaceAll(/e[-−]/g, "e−").replace("e+", "e");
}
