import type { LeaderboardRow } from "@envs/hub-client";
import type { ReactNode } from "react";

import { scaleOf, ticksOf } from "./interval-mark.tsx";
import { score, short } from "./texts.ts";

const width = 720;
const height = 300;
const left = 52;
const right = 24;
const top = 16;
const bottom = 44;

interface Point {
  readonly row: LeaderboardRow;
  readonly tokens: number;
  readonly reward: number;
}

/** The reward of each run over the output tokens of a rollout, on a logarithmic scale. Nothing for fewer than two points. */
export function TokenPlot({ rows }: { readonly rows: readonly LeaderboardRow[] }): ReactNode {
  const points = rows.flatMap((row): Point[] => {
    const { ranked, usage, counts } = row.run.summary;
    const tokens = usage.outputTokens / Math.max(1, counts.total);
    return ranked.reward === null || tokens === 0 ? [] : [{ row, tokens, reward: ranked.reward }];
  });
  if (new Set(points.map(({ tokens }) => tokens)).size < 2) return null;
  const scale = scaleOf(points.map(({ reward }) => ({ mean: reward, interval: null })));
  const exponents = points.map(({ tokens }) => Math.log10(tokens));
  const [from, to] = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents) + 1e-9)];
  const x = (tokens: number): number =>
    left + ((Math.log10(tokens) - from) / Math.max(1, to - from)) * (width - left - right);
  const y = (reward: number): number =>
    height - bottom - ((reward - scale.min) / (scale.max - scale.min)) * (height - top - bottom);
  const decades = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  const levels = ticksOf(scale);
  return (
    <section>
      <h2>Reward and tokens</h2>
      <figure className="plot">
        <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={altText(points)}>
          {levels.map((level) => (
            <g key={level}>
              <line className="grid" x1={left} x2={width - right} y1={y(level)} y2={y(level)} />
              <text className="tick" x={left - 8} y={y(level) + 4} textAnchor="end">
                {score(level).replace(/\.?0+$/, "")}
              </text>
            </g>
          ))}
          {decades.map((tokens) => (
            <g key={tokens}>
              <line className="grid" x1={x(tokens)} x2={x(tokens)} y1={top} y2={height - bottom} />
              <text className="tick" x={x(tokens)} y={height - bottom + 18} textAnchor="middle">
                {short(tokens)}
              </text>
            </g>
          ))}
          <text className="tick" x={(left + width - right) / 2} y={height - 6} textAnchor="middle">
            output tokens per rollout
          </text>
          {points.map(({ row: { rank, run }, tokens, reward }) => (
            <a key={run.id} href={`/run/${run.id}`}>
              <title>{`${run.recipe.model}: reward ${score(reward)}, ${short(tokens)} tokens`}</title>
              <circle className="point" cx={x(tokens)} cy={y(reward)} r={6} />
              <text x={x(tokens) + 10} y={y(reward) + 4} aria-hidden="true">
                {rank}
              </text>
            </a>
          ))}
        </svg>
        <figcaption className="small quiet">
          Each dot is a run; the number is its rank. Left is cheaper, up is better.
        </figcaption>
      </figure>
    </section>
  );
}

function altText(points: readonly Point[]): string {
  const list = points.map(
    ({ row, tokens, reward }) => `${row.run.recipe.model} ${score(reward)} at ${short(tokens)}`,
  );
  return `Mean reward over output tokens per rollout: ${list.join("; ")}`;
}
