import type { EnvironmentManifest } from "@envs/hub-client";
import { InlineCode } from "@envs/web/config-form";
import type { ReactNode } from "react";

import { rounded } from "../../evaluation/texts.ts";
import { number, Table } from "../../layout/table.tsx";

type Score = EnvironmentManifest["scores"][number];

/** The scores that make up the reward, and the metrics, which have no weight. */
export function Scores({ scores }: { readonly scores: readonly Score[] }): ReactNode {
  const rewarded = scores.filter(({ weight }) => weight !== 0);
  const metrics = scores.filter(({ weight }) => weight === 0);
  return (
    <section className="section">
      <h2 id="scores">Scores</h2>
      <p className="quiet">
        The reward is the sum of weight × score
        {rewarded.every(({ range }) => range !== undefined) && rewarded.length > 0 && (
          <>
            , from {rounded(boundOf(rewarded, Math.min))} to {rounded(boundOf(rewarded, Math.max))}
          </>
        )}
        .
      </p>
      <ScoreTable label="Scores" scores={rewarded} />
      {metrics.length > 0 && (
        <>
          <h3 id="metrics">Metrics</h3>
          <p className="quiet">Recorded for each rollout. They do not change the reward.</p>
          <ScoreTable label="Metrics" scores={metrics} />
        </>
      )}
    </section>
  );
}

/** The minimum or maximum reward that the ranges allow. */
function boundOf(scores: readonly Score[], choose: (a: number, b: number) => number): number {
  return scores.reduce((sum, { weight, range: [low, high] = [0, 0] }) => {
    return sum + choose(weight * low, weight * high);
  }, 0);
}

function ScoreTable({ label, scores }: { label: string; scores: readonly Score[] }): ReactNode {
  const isWeighted = scores.some(({ weight }) => weight !== 0);
  return (
    <Table
      label={label}
      className="stacked"
      headings={["Name", isWeighted && number("Weight"), number("Range"), "Description"]}
    >
      {scores.map(({ name, weight, range, isGroup, description }) => (
        <tr key={name}>
          <td>
            <code>{name}</code>
          </td>
          {isWeighted && <td className="number">{weight}</td>}
          <td className="number">
            {range === undefined ? "" : `${rounded(range[0])} to ${rounded(range[1])}`}
          </td>
          <td>
            <InlineCode text={description ?? ""} />{" "}
            {isGroup && <span className="tag">compares the rollouts of a group</span>}
          </td>
        </tr>
      ))}
    </Table>
  );
}
