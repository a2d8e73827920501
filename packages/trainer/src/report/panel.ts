import { line } from "d3-shape";

import { type Axis, stepAxis, valueAxis } from "./axes.ts";
import type { Chart, Curve } from "./charts.ts";
import { panelHeader } from "./panel-header.ts";
import type { Point } from "./smoothing.ts";
import { element, label, mutedColor, truncate } from "./svg.ts";

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Draws a chart of `width` × `height` pixels: curves, axes, phases, legend and the latest value. */
export function panel(chart: Chart, width: number, height: number): string {
  const frame = { left: 46, right: width - 14, top: 56, bottom: height - 32 };
  const axes = { values: valueAxis(chart, frame), steps: stepAxis(chart.phases, frame) };
  return [
    panelHeader(chart, width),
    grid(frame, axes),
    phaseLines(chart, frame, axes.steps),
    ...chart.curves.map((curve) => measuredCurve(curve, axes)),
    ...chart.curves.map((curve) => smoothedCurve(curve, axes)),
  ].join("");
}

function grid({ left, right, top, bottom }: Frame, { values, steps }: Axes): string {
  const rows = values.ticks
    .filter(({ position }) => position >= top - 1 && position <= bottom + 1)
    .flatMap(({ position: y, text }) => [
      element("line", { x1: left, x2: right, y1: y, y2: y, stroke: "#e9e9e9" }),
      label(text, [left - 7, y + 4], { "text-anchor": "end", fill: mutedColor }),
    ]);
  const columns = steps.ticks.flatMap(({ position: x, text }) => [
    element("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, stroke: "#b5b5b5" }),
    label(text, [x, bottom + 16], { "text-anchor": "middle", fill: mutedColor }),
  ]);
  const base = element("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: "#b5b5b5" });
  const name = label("step", [right, bottom + 28], { "text-anchor": "end", fill: mutedColor });
  return [...rows, ...columns, base, name].join("");
}

function phaseLines(chart: Chart, { top, bottom, right }: Frame, steps: Axis): string {
  return chart.phases
    .flatMap(({ name, start, steps: length }, index) => {
      const x = steps.position(start);
      const width = Math.min(right, steps.position(start + length)) - x;
      const text = truncate(name, 10, width - 4);
      return [
        index === 0
          ? ""
          : element("line", {
              x1: x,
              x2: x,
              y1: top - 10,
              y2: bottom,
              stroke: "#8c8c8c",
              "stroke-dasharray": "3 3",
            }),
        width < 12 ? "" : label(text, [x + 4, top - 4], { "font-size": 10, fill: mutedColor }),
      ];
    })
    .join("");
}

interface Axes {
  readonly values: Axis;
  readonly steps: Axis;
}

/** The measurements: light if the curve also has a smoothed line. */
function measuredCurve(curve: Curve, axes: Axes): string {
  const { points, smoothed, color, isSparse } = curve;
  const isLight = smoothed !== undefined;
  const marks = points.filter(
    (point, index) =>
      point.y !== null && (isSparse || (isGap(points[index - 1]) && isGap(points[index + 1]))),
  );
  return [
    path(points, axes, {
      stroke: color,
      "stroke-width": isLight ? 1 : 1.8,
      "stroke-opacity": isLight ? 0.28 : 1,
    }),
    ...marks.map(({ x, y }) =>
      element("circle", {
        cx: axes.steps.position(x),
        cy: axes.values.position(y!),
        r: 2.4,
        fill: color,
      }),
    ),
  ].join("");
}

function smoothedCurve({ smoothed, color }: Curve, axes: Axes): string {
  if (smoothed === undefined) return "";
  return path(smoothed, axes, { stroke: color, "stroke-width": 2 });
}

function path(
  points: readonly Point[],
  { values, steps }: Axes,
  style: Readonly<Record<string, string | number>>,
): string {
  const draw = line<Point>(
    ({ x }) => steps.position(x),
    ({ y }) => values.position(y!),
  )
    .defined(({ y }) => y !== null)
    .digits(1);
  const d = draw([...points]);
  return d === null
    ? ""
    : element("path", { d, fill: "none", "stroke-linejoin": "round", ...style });
}

function isGap(point: Point | undefined): boolean {
  return point === undefined || point.y === null;
}
