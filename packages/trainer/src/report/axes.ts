import { extent } from "d3-array";
import { scaleLinear, type ScaleLinear, scaleLog, type ScaleLogarithmic } from "d3-scale";

import type { Chart, PhaseSpan } from "./charts.ts";
import { formatNumber, typographicMinus } from "./format-number.ts";

/** Maps values to positions in pixels, with labelled ticks. */
export interface Axis {
  position(value: number): number;
  readonly ticks: readonly Tick[];
}

interface Tick {
  readonly position: number;
  readonly text: string;
}

/** The vertical axis of a chart, from position `bottom` up to `top`. */
export function valueAxis(chart: Chart, { top, bottom }: { top: number; bottom: number }): Axis {
  const values = chart.curves.flatMap(({ points }) =>
    points.flatMap(({ y }) => (y === null ? [] : [y])),
  );
  const [min = 0, max = 1] = extent(values);
  const isLogarithmic = chart.isLogarithmic === true && min > 0 && max / min > 30;
  const count = bottom - top > 200 ? 6 : 4;
  if (isLogarithmic) {
    const scale = scaleLog([min / 1.1, max * 1.1], [bottom, top]);
    return { position: (value) => scale(value), ticks: logarithmicTicks(scale) };
  }
  const scale = scaleLinear(valueDomain(chart, [min, max]), [bottom, top]).nice(count);
  return {
    position: (value) => scale(value),
    ticks: linearTicks(scale, count, chart.isShare === true),
  };
}

/** Shares of games have the domain from 0 to 1; the domain of other values includes 0 if they are near it. */
function valueDomain(chart: Chart, [min, max]: readonly [number, number]): [number, number] {
  if (chart.isShare === true && (chart.section === "Evaluation" || max > 0.7)) return [0, 1];
  const start = min >= 0 && min < max * 0.6 ? 0 : min;
  const size = Math.max(Math.abs(start), Math.abs(max));
  // A smaller difference has no representable numbers for ticks.
  if (max - start > size * 1e-9 && size > 1e-100) return [start, max];
  if (size <= 1e-100) return [0, chart.isShare === true ? 0.1 : 1];
  return [Math.min(0, max), Math.max(0, max)];
}

function linearTicks(scale: ScaleLinear<number, number>, count: number, isShare: boolean): Tick[] {
  const max = Math.max(...scale.domain().map(Math.abs));
  const format = scale.tickFormat(count, isShare ? "~%" : undefined);
  const isExtreme = !isShare && (max >= 10_000 || max < 0.001);
  return scale.ticks(count).map((value) => ({
    position: scale(value),
    text: isExtreme ? formatNumber(value) : typographicMinus(format(value)),
  }));
}

function logarithmicTicks(scale: ScaleLogarithmic<number, number>): Tick[] {
  const [min = 1, max = 1] = scale.domain();
  const leadingDigits = max / min > 2000 ? [1] : max / min > 50 ? [1, 3] : [1, 2, 5];
  return scale
    .ticks()
    .filter((value) => leadingDigits.includes(Number(value.toExponential(0)[0])))
    .map((value) => ({ position: scale(value), text: formatNumber(value) }));
}

/**
 * The horizontal axis. Steps are counted within each phase. Half of the width is shared equally among the phases and half by
 * their steps, so that a long phase does not squeeze a short one into a strip.
 */
export function stepAxis(
  phases: readonly PhaseSpan[],
  { left, right }: { left: number; right: number },
): Axis {
  const spans = phases.filter(({ steps }) => steps > 0);
  const first = phases[0]?.start ?? 0;
  const total = spans.reduce((sum, { steps }) => sum + steps, 0);
  let position = left;
  const ends = spans.map(({ start, steps }) => {
    position += ((right - left) / 2) * (1 / spans.length + steps / total);
    return [start + steps, position] as const;
  });
  const points = ends.length === 0 ? [[first + 1, right] as const] : ends;
  const scale = scaleLinear(
    [first, ...points.map(([step]) => step)],
    [left, ...points.map(([, x]) => x)],
  );
  const ticks = phases.flatMap(({ start, steps: length }, index) => {
    const width = scale(start + length) - scale(start);
    const isLast = index === phases.length - 1;
    return scaleLinear([0, Math.max(length, 1)], [0, 1])
      .ticks(Math.max(1, Math.floor(width / 70)))
      .filter((step) => Number.isInteger(step) && step <= length && (step > 0 || index === 0))
      .map((step) => ({ position: scale(start + step), text: String(step) }))
      .filter(
        ({ position }) =>
          isLast || position < scale(start + length) - 14 || position === scale(start),
      );
  });
  return { position: (value) => scale(value), ticks: removeOverlaps(ticks) };
}

/** Removes ticks whose labels would overlap the previous one. */
function removeOverlaps(ticks: readonly Tick[]): Tick[] {
  const separate: Tick[] = [];
  for (const tick of ticks)
    if (tick.position - (separate.at(-1)?.position ?? -99) >= 26) separate.push(tick);
  return separate;
}
