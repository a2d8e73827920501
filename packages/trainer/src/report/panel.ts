import { line } from "d3-shape";

import { type Axis, stepAxis, valueAxis } from "./axes.ts";
import type { Chart, Curve } from "./charts.ts";
import { header } from "./panel-header.ts";
import type { Point } from "./smooth.ts";
import { cut, element, label, quiet } from "./svg.ts";

interface Frame {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Draws a chart in a space of `width` × `height`: curves, axes, phases, legend and the latest value. */
export function panel(chart: Chart, width: number, height: number): string {
  const frame = { left: 46, right: width - 14, top: 56, bottom: height - 32 };
  const values = valueAxis(chart, frame);
  const steps = stepAxis(chart.phases, frame);
  const place = { values, steps };
  return [
    header(chart, width),
    grid(frame, place),
    phases(chart, frame, steps),
    ...chart.curves.map((curve) => raw(curve, place)),
    ...chart.curves.map((curve) => bold(curve, place)),
  ].join("");
}

function grid({ left, right, top, bottom }: Frame, { values, steps }: Places): string {
  const rows = values.ticks
    .filter(({ at }) => at >= top - 1 && at <= bottom + 1)
    .flatMap(({ at, text }) => [
      element("line", { x1: left, x2: right, y1: at, y2: at, stroke: "#e9e9e9" }),
      label(text, [left - 7, at + 4], { "text-anchor": "end", fill: quiet }),
    ]);
  const columns = steps.ticks.flatMap(({ at, text }) => [
    element("line", { x1: at, x2: at, y1: bottom, y2: bottom + 4, stroke: "#b5b5b5" }),
    label(text, [at, bottom + 16], { "text-anchor": "middle", fill: quiet }),
  ]);
  const base = element("line", { x1: left, x2: right, y1: bottom, y2: bottom, stroke: "#b5b5b5" });
  const name = label("step", [right, bottom + 28], { "text-anchor": "end", fill: quiet });
  return [...rows, ...columns, base, name].join("");
}

function phases(chart: Chart, { top, bottom, right }: Frame, steps: Axis): string {
  return chart.phases
    .flatMap(({ name, start, steps: length }, index) => {
      const x = steps.place(start);
      const width = Math.min(right, steps.place(start + length)) - x;
      const text = cut(name, 10, width - 4);
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
        width < 12 ? "" : label(text, [x + 4, top - 4], { "font-size": 10, fill: quiet }),
      ];
    })
    .join("");
}

interface Places {
  readonly values: Axis;
  readonly steps: Axis;
}

/** The values as they are: light under a smoothed curve. */
function raw(curve: Curve, places: Places): string {
  const { points, smoothed, color, isSparse } = curve;
  const isLight = smoothed !== undefined;
  const marks = points.filter(
    (point, index) =>
      point.y !== null && (isSparse || (isGap(points[index - 1]) && isGap(points[index + 1]))),
  );
  return [
    path(points, places, {
      stroke: color,
      "stroke-width": isLight ? 1 : 1.8,
      "stroke-opacity": isLight ? 0.28 : 1,
    }),
    ...marks.map(({ x, y }) =>
      element("circle", {
        cx: places.steps.place(x),
        cy: places.values.place(y!),
        r: 2.4,
        fill: color,
      }),
    ),
  ].join("");
}

function bold({ smoothed, color }: Curve, places: Places): string {
  if (smoothed === undefined) return "";
  return path(smoothed, places, { stroke: color, "stroke-width": 2 });
}

function path(
  points: readonly Point[],
  { values, steps }: Places,
  style: Readonly<Record<string, string | number>>,
): string {
  const draw = line<Point>(
    ({ x }) => steps.place(x),
    ({ y }) => values.place(y!),
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
