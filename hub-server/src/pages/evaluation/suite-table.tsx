import type { SuiteMember, SuiteRow } from "@envs/hub-client";
import type { ReactNode } from "react";

import { NameLink } from "../layout/elements.tsx";
import { number, Table } from "../layout/table.tsx";
import { Badges } from "./badges.tsx";
import { IntervalMark, type Scale, ScaleEnds, scaleOf } from "./interval-mark.tsx";
import { boardPath, configText, count, counted, interval, modelPath, score } from "./texts.ts";

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
        return summary === undefined
          ? []
          : [{ mean: summary.ranked.reward, interval: summary.ranked.interval }];
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

/** Links to the leaderboard of the environment with the locked version and config. */
function MemberName({ member }: { readonly member: SuiteMember }): ReactNode {
  const { package: name, version, configHash: config, examples, split } = member;
  return (
    <>
      <a href={boardPath(name, { version, config })}>{`${name}@${version}`}</a>
      <span className="quiet small block">
        {configText(member.config)}, {counted(examples, "example")}
        {split !== null && ` of ${split}`}
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
        <NameLink href={modelPath(model)}>{model}</NameLink>
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
  const { counts, ranked } = summary;
  return (
    <>
      <span className="suite-reward">
        <a href={`/run/${id}`} className="strong">
          {ranked.reward === null ? "no score" : score(ranked.reward)}
        </a>
        {rank !== null && <span className="quiet small">rank {rank}</span>}
        <Badges badges={badges} />
      </span>
      <IntervalMark mean={ranked.reward} interval={ranked.interval} scale={scale} />
      <span className="quiet small block number-left">{interval(ranked.interval)}</span>
      {counts.failed > 0 && (
        <span className="failed block small">{`${count(counts.failed)} failed`}</span>
      )}
    </>
  );
}
