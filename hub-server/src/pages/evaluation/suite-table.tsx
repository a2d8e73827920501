import type { SuiteMember, SuiteRow } from "@envs/hub-client";
import type { ReactNode } from "react";

import { number, Table } from "../layout/table.tsx";
import { Badges } from "./badges.tsx";
import { IntervalMark, type Scale, ScaleEnds, scaleOf } from "./interval-mark.tsx";
import { boardPath, configText, count, interval, score } from "./texts.ts";

/** A row for each model and owner, a column for each evaluation. Each column has its own scale. */
export function SuiteTable({
  members,
  rows,
}: {
  readonly members: readonly SuiteMember[];
  readonly rows: readonly SuiteRow[];
}): ReactNode {
  const scales = members.map((_, index) =>
    scaleOf(
      rows.flatMap(({ cells }) => {
        const summary = cells[index]?.run.summary;
        return summary === undefined ? [] : [{ mean: summary.reward.mean, ...summary.interval }];
      }),
    ),
  );
  return (
    <Table
      label="Leaderboard"
      className="run-table suite-table"
      headings={[
        number("Rank"),
        "Model",
        ...members.map((member, index) => (
          <th key={index}>
            <MemberName member={member} />
            <ScaleEnds scale={scales[index]!} />
          </th>
        )),
      ]}
    >
      {rows.map((row) => (
        <Row key={`${row.model} ${row.owner}`} row={row} scales={scales} />
      ))}
    </Table>
  );
}

/** Links to the leaderboard of the environment with the locked version, config and examples. */
function MemberName({ member }: { readonly member: SuiteMember }): ReactNode {
  const { package: name, version, configHash: config, exampleSet, seed, split } = member;
  const examples = exampleSet ?? undefined;
  return (
    <>
      <a
        href={boardPath(name, examples === undefined ? {} : { version, config, examples })}
      >{`${name}@${version}`}</a>
      <span className="quiet small block">
        {configText(member.config)}, {split !== null && `split ${split}, `}seed {seed}
      </span>
    </>
  );
}

function Row({
  row: { rank, isTied, meanRank, model, owner, cells },
  scales,
}: {
  readonly row: SuiteRow;
  readonly scales: readonly Scale[];
}): ReactNode {
  return (
    <tr>
      <td className="number rank">
        {rank ?? <span className="quiet small">unranked</span>}
        {isTied && <abbr title="Tied: another model has the same mean rank">=</abbr>}
        {meanRank !== null && (
          <span className="quiet small block">{`mean ${meanRank.toFixed(2)}`}</span>
        )}
      </td>
      <td>
        <strong className="name">{model}</strong>
        <span className="quiet small block">
          <a href={`/user/${owner}`}>{owner}</a>
        </span>
      </td>
      {cells.map((cell, index) => (
        <td key={`${index}`}>
          {cell === null ? (
            <span className="quiet">not evaluated</span>
          ) : (
            <Cell cell={cell} scale={scales[index]!} />
          )}
        </td>
      ))}
    </tr>
  );
}

function Cell({
  cell: { rank, run },
  scale,
}: {
  readonly cell: NonNullable<SuiteRow["cells"][number]>;
  readonly scale: Scale;
}): ReactNode {
  const { id, summary, badges } = run;
  const { counts, reward } = summary;
  return (
    <>
      <span className="suite-reward">
        <a href={`/run/${id}`} className="strong">
          {reward.mean === null ? "no score" : score(reward.mean)}
        </a>
        {rank !== null && <span className="quiet small">rank {rank}</span>}
        <Badges badges={badges} />
      </span>
      <IntervalMark mean={reward.mean} interval={summary.interval} scale={scale} />
      <span className="quiet small block number-left">{interval(summary.interval)}</span>
      {counts.failed > 0 && (
        <span className="failed block small">{`${count(counts.failed)} failed`}</span>
      )}
    </>
  );
}
