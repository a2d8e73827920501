import type { ReactNode } from "react";

import type { StepMetrics } from "../../evaluations/rollouts/list-rollouts.ts";
import { score } from "./texts.ts";

const width = 340;
const height = 150;
const left = 44;
const right = 10;
const top = 10;
const bottom = 22;
const maxPlots = 12;
/** The maximum number of points, about one per pixel. A longer curve shows the mean of neighbouring steps. */
const maxPoints = 300;

interface Curve {
  readonly name: string;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

/** The metrics of a training over its steps: one small plot for each, the reward first. */
export function Curves({ rows }: { readonly rows: readonly StepMetrics[] }): ReactNode {
  const curves = curvesOf(rows).slice(0, maxPlots);
  if (curves.length === 0) return <p className="quiet">The training has no curves.</p>;
  return (
    <div className="curves">
      {curves.map((curve) => (
        <CurvePlot key={curve.name} {...curve} />
      ))}
    </div>
  );
}

/** The curves of the metrics, with the steps of all phases in sequence. Omits metrics with fewer than two different values. */
function curvesOf(rows: readonly StepMetrics[]): readonly Curve[] {
  const curves = new Map<string, { at: number; value: number }[]>();
  let [phase, start, last] = ["", 0, 0];
  for (const row of rows) {
    if (row.phase !== phase) [phase, start] = [row.phase, last];
    last = start + row.step;
    for (const [name, value] of Object.entries(row.values)) {
      if (value === null) continue;
      const points = curves.get(name) ?? [];
      curves.set(name, points);
      points.push({ at: last, value });
    }
  }
  return [...curves]
    .filter(([, points]) => new Set(points.map(({ value }) => value)).size > 1)
    .map(([name, points]) => ({ name, points: thinned(points) }))
    .toSorted((a, b) => orderOf(a.name) - orderOf(b.name));
}

function thinned(points: Curve["points"]): Curve["points"] {
  const size = Math.ceil(points.length / maxPoints);
  if (size === 1) return points;
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) => {
    const bucket = points.slice(index * size, (index + 1) * size);
    const sum = bucket.reduce((total, { value }) => total + value, 0);
    return { at: bucket.at(-1)!.at, value: sum / bucket.length };
  });
}

function orderOf(name: string): number {
  if (name === "reward") return 0;
  if (name.startsWith("score/")) return 1;
  return name.includes("/") ? 2 : 3;
}

function CurvePlot({ name, points }: Curve): ReactNode {
  const values = points.map(({ value }) => value);
  const steps = points.map(({ at }) => at);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const [from, to] = [Math.min(...steps), Math.max(...steps)];
  const x = (at: number): number =>
    left + ((at - from) / Math.max(1, to - from)) * (width - left - right);
  const y = (value: number): number =>
    height - bottom - ((value - min) / (max - min)) * (height - top - bottom);
  const line = points.map(({ at, value }) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`);
  return (
    <figure className="plot small-plot">
      <figcaption className="name small">{name}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${name} from ${score(values[0])} to ${score(values.at(-1))} over ${to} steps, between ${score(min)} and ${score(max)}`}
      >
        {[min, max].map((level) => (
          <g key={level}>
            <line className="grid" x1={left} x2={width - right} y1={y(level)} y2={y(level)} />
            <text className="tick" x={left - 6} y={y(level) + 4} textAnchor="end">
              {level.toPrecision(3)}
            </text>
          </g>
        ))}
        <text className="tick" x={left} y={height - 6}>
          {from}
        </text>
        <text className="tick" x={width - right} y={height - 6} textAnchor="end">
          {`step ${to}`}
        </text>
        <polyline className="curve" points={line.join(" ")} />
      </svg>
    </figure>
  );
}
