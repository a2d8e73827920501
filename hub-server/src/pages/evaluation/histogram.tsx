import type { RunSummary } from "@envs/hub-client";
import type { ReactNode } from "react";

import { counted, score } from "./texts.ts";

const width = 640;
const height = 200;
const bottom = 32;
const top = 30;

/** The rewards of the scored rollouts as bars. The title of each bar and the caption contain its numbers. */
export function Histogram({ bins }: { readonly bins: RunSummary["histogram"] }): ReactNode {
  if (bins.length === 0) return <p className="quiet">No rollout was scored.</p>;
  const max = Math.max(...bins.map((bin) => bin.count));
  const slot = width / bins.length;
  const barWidth = Math.min(72, slot - 8);
  return (
    <figure className="plot">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Rollouts by reward: ${bins.map((bin) => `${labelOf(bin)}: ${bin.count}`).join("; ")}`}
      >
        <line className="axis" x1={0} x2={width} y1={height - bottom} y2={height - bottom} />
        {bins.map((bin, index) => {
          const barHeight = (bin.count / max) * (height - bottom - top);
          const middle = index * slot + slot / 2;
          const y = height - bottom - barHeight;
          return (
            <g key={index}>
              <rect
                className="bar"
                x={middle - barWidth / 2}
                y={y}
                width={barWidth}
                height={barHeight}
                rx={3}
              >
                <title>{`${labelOf(bin)}: ${counted(bin.count, "rollout")}`}</title>
              </rect>
              <text x={middle} y={y - 5} textAnchor="middle">
                {bin.count}
              </text>
              <text className="tick" x={middle} y={height - 8} textAnchor="middle">
                {score(bin.from).replace(/\.?0+$/, "")}
              </text>
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

function labelOf({ from, to }: RunSummary["histogram"][number]): string {
  return from === to ? score(from) : `${score(from)} to ${score(to)}`;
}
