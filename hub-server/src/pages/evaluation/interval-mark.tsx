import type { ReactNode } from "react";

import { score } from "./texts.ts";

/** The range of values that the marks of a table share. */
export interface Scale {
  readonly min: number;
  readonly max: number;
}

const width = 240;
const height = 20;
const margin = 6;

/** The range of all values and bounds, and of 0 and 1 if all values are between them. */
export function scaleOf(
  values: readonly {
    readonly mean: number | null;
    readonly interval: { readonly low: number; readonly high: number } | null;
  }[],
): Scale {
  const all = values.flatMap(({ mean, interval }) => [
    mean ?? [],
    interval === null ? [] : [interval.low, interval.high],
  ]);
  const numbers = all.flat();
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length === 0 || (min >= 0 && max <= 1)) return { min: 0, max: 1 };
  const [low, high] = [Math.min(0, min), Math.max(0, max)];
  const step = stepOf(high - low);
  return { min: Math.floor(low / step) * step, max: Math.ceil(high / step) * step };
}

/** The values at which a plot has lines: round numbers, at most seven. */
export function ticksOf({ min, max }: Scale): readonly number[] {
  const step = stepOf(max - min);
  const count = Math.round((max - min) / step);
  return Array.from({ length: count + 1 }, (_, index) => min + index * step);
}

/** 1, 2 or 5 times a power of ten: a quarter of the range or less. */
function stepOf(range: number): number {
  const power = 10 ** Math.floor(Math.log10(range / 4 || 1));
  const factor = [5, 2, 1].find((each) => each * power <= range / 4) ?? 1;
  return factor * power;
}

function positionOf(value: number, { min, max }: Scale): number {
  return margin + ((value - min) / (max - min)) * (width - 2 * margin);
}

/** A mean as a dot and its interval as a line, on the scale of the table. The numbers are in other cells. */
export function IntervalMark({
  mean,
  interval,
  scale,
  reference,
}: {
  readonly mean: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly scale: Scale;
  /** A value to compare with, as a vertical line. */
  readonly reference?: number | undefined;
}): ReactNode {
  const middle = height / 2;
  const x = (value: number): number => positionOf(value, scale);
  return (
    <svg className="mark" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <line className="mark-track" x1={margin} x2={width - margin} y1={middle} y2={middle} />
      {reference !== undefined && (
        <line className="mark-reference" x1={x(reference)} x2={x(reference)} y1={0} y2={height} />
      )}
      {interval !== null && (
        <line
          className="mark-interval"
          x1={x(interval.low)}
          x2={x(interval.high)}
          y1={middle}
          y2={middle}
        />
      )}
      {mean !== null && <circle className="mark-mean" cx={x(mean)} cy={middle} r={4.5} />}
    </svg>
  );
}

/** The heading of a column of intervals. */
export function intervalHeading(scale: Scale): ReactNode {
  return (
    <th>
      95 % interval <ScaleEnds scale={scale} />
    </th>
  );
}

/** The ends of the scale, above the marks. */
export function ScaleEnds({ scale: { min, max } }: { readonly scale: Scale }): ReactNode {
  return (
    <span className="scale-ends">
      <span>{trimmed(min)}</span>
      <span>{trimmed(max)}</span>
    </span>
  );
}

function trimmed(value: number): string {
  return score(value).replace(/\.?0+$/, "");
}
