import type { DeclaredRuns, LeaderboardRow } from "@envs/hub-client";
import type { ReactNode } from "react";

import { Day, NameLink } from "../layout/elements.tsx";
import { number, Table, unseen } from "../layout/table.tsx";
import { Badges } from "./badges.tsx";
import { intervalHeading, IntervalMark, scaleOf } from "./interval-mark.tsx";
import { cost, count, declaredText, interval, modelPath, percent, score, short } from "./texts.ts";

/** Runs of a board, with their intervals on one scale. Each row can be selected for a comparison. */
export function LeaderboardTable({
  label,
  rows,
  declared,
}: {
  readonly label: string;
  readonly rows: readonly LeaderboardRow[];
  readonly declared: readonly DeclaredRuns[];
}): ReactNode {
  const scale = scaleOf(
    rows.map(({ run: { summary } }) => ({
      mean: summary.ranked.reward,
      interval: summary.ranked.interval,
    })),
  );
  return (
    <form method="get" action="/compare">
      <Table
        label={label}
        className="run-table stacked"
        headings={[
          number("Rank"),
          "Model",
          number("Reward"),
          intervalHeading(scale),
          number("pass@1"),
          number("Rollouts"),
          number("Tokens"),
          number("Cost"),
          "Evidence",
          unseen("Compare"),
        ]}
      >
        {rows.map((row) =>
          rowOf({
            row,
            scale,
            declared: declared.find(
              ({ owner, model }) => owner === row.run.owner && model === row.run.recipe.model,
            ),
          }),
        )}
      </Table>
      <button className="second">Compare selected runs</button>
    </form>
  );
}

function rowOf({
  row: { rank, isTied, run },
  scale,
  declared,
}: {
  readonly row: LeaderboardRow;
  readonly scale: ReturnType<typeof scaleOf>;
  readonly declared: DeclaredRuns | undefined;
}): ReactNode {
  const { id, owner, recipe, summary, badges, pushedAt } = run;
  const { counts, usage, ranked } = summary;
  return (
    <tr key={id}>
      <td className="number rank">
        {rank ?? "–"}
        {isTied && <abbr title="Tied: the intervals overlap, so the order may be chance">=</abbr>}
      </td>
      <td>
        <NameLink href={`/run/${id}`}>{recipe.model}</NameLink>
        <span className="quiet small block row-facts">
          <a href={`/user/${owner}`}>{owner}</a>, <Day date={new Date(pushedAt)} />,{" "}
          <a href={modelPath(recipe.model)} aria-label={`all boards of ${recipe.model}`}>
            all boards
          </a>
        </span>
        {declared !== undefined && declared.completed < declared.declared && (
          <span className="quiet small block">{declaredText(declared)}</span>
        )}
      </td>
      <td className="number strong">{score(ranked.reward)}</td>
      <td>
        <IntervalMark mean={ranked.reward} interval={ranked.interval} scale={scale} />
        <span className="quiet small block number-left">{interval(ranked.interval)}</span>
      </td>
      <td className="number">{percent(ranked.passAtK["1"])}</td>
      <td className="number">
        {count(counts.scored)}
        {counts.failed > 0 && (
          <span className="failed block small">{`${count(counts.failed)} failed, each ${score(ranked.failedReward)}`}</span>
        )}
      </td>
      <td className="number">{short(usage.inputTokens + usage.outputTokens)}</td>
      <td className="number">{cost(summary.cost)}</td>
      <td>
        <Badges badges={badges} />
      </td>
      <td>
        <label className="unseen" htmlFor={`compare-${id}`}>
          {`Compare ${recipe.model}`}
        </label>
        <input type="checkbox" id={`compare-${id}`} name="run" value={id} />
      </td>
    </tr>
  );
}
