import { shortFigure } from "./axes.ts";
import type { Chart, Curve } from "./charts.ts";
import { cut, element, label, quiet, textWidth } from "./svg.ts";

/** What stands above a chart: its title and unit to the left, the latest value and the legend to the right. */
export function header(chart: Chart, width: number): string {
  const { title, unit, curves, isShare } = chart;
  const only = curves.length === 1 ? latest(curves[0]!) : undefined;
  const figure = only === undefined ? "" : isShare === true ? percent(only) : shortFigure(only);
  const room = width - 28 - textWidth(figure, 15);
  return [
    label(cut(title, 14, room), [14, 20], { "font-size": 14, "font-weight": 600, fill: "#1c1c1c" }),
    label(figure, [width - 14, 20], {
      "text-anchor": "end",
      "font-size": 14,
      "font-weight": 600,
      fill: curves[0]?.color,
    }),
    label(unit, [14, 37], { fill: quiet }),
    curves.length > 1
      ? legend(curves, { right: width - 14, room: width - 40 - textWidth(unit, 11) })
      : "",
  ].join("");
}

/** From the right, each curve's name behind its colour; what finds no place is left out. */
function legend(
  curves: readonly Curve[],
  { right, room }: { right: number; room: number },
): string {
  let x = right;
  const entries: string[] = [];
  for (const { name, color } of curves.toReversed()) {
    const text = cut(name, 11, 130);
    x -= textWidth(text, 11);
    if (right - x + 14 > room) break;
    entries.push(
      element("rect", { x: x - 13, y: 29.5, width: 9, height: 9, rx: 2, fill: color }),
      label(text, [x, 38]),
    );
    x -= 24;
  }
  return entries.join("");
}

function latest({ points, smoothed }: Curve): number | undefined {
  return (smoothed ?? points).findLast(({ y }) => y !== null)?.y ?? undefined;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`;
}
