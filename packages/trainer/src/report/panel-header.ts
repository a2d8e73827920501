import type { Chart, Curve } from "./charts.ts";
import { formatNumber } from "./format-number.ts";
import { element, label, mutedColor, textWidth, truncate } from "./svg.ts";

/** The header of a panel: title and unit on the left, latest value and legend on the right. */
export function panelHeader(chart: Chart, width: number): string {
  const { title, unit, curves, isShare } = chart;
  const value = curves.length === 1 ? latestValue(curves[0]!) : undefined;
  const valueText =
    value === undefined ? "" : isShare === true ? percent(value) : formatNumber(value);
  const titleWidth = width - 28 - textWidth(valueText, 15);
  return [
    label(truncate(title, 14, titleWidth), [14, 20], {
      "font-size": 14,
      "font-weight": 600,
      fill: "#1c1c1c",
    }),
    label(valueText, [width - 14, 20], {
      "text-anchor": "end",
      "font-size": 14,
      "font-weight": 600,
      fill: curves[0]?.color,
    }),
    label(unit, [14, 37], { fill: mutedColor }),
    curves.length > 1
      ? legend(curves, { right: width - 14, maxWidth: width - 40 - textWidth(unit, 11) })
      : "",
  ].join("");
}

/** Draws the colour and the name of each curve, aligned right. Omits names that do not fit. */
function legend(
  curves: readonly Curve[],
  { right, maxWidth }: { right: number; maxWidth: number },
): string {
  let x = right;
  const entries: string[] = [];
  for (const { name, color } of curves.toReversed()) {
    const text = truncate(name, 11, 130);
    x -= textWidth(text, 11);
    if (right - x + 14 > maxWidth) break;
    entries.push(
      element("rect", { x: x - 13, y: 29.5, width: 9, height: 9, rx: 2, fill: color }),
      label(text, [x, 38]),
    );
    x -= 24;
  }
  return entries.join("");
}

function latestValue({ points, smoothed }: Curve): number | undefined {
  return (smoothed ?? points).findLast(({ y }) => y !== null)?.y ?? undefined;
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(1))}%`;
}
