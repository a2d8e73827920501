import { deviation, mean } from "../../analysis/statistics.ts";
import type { RolloutRow, RunScore } from "../../run/run.ts";
import { count, figure } from "../format.ts";

interface ScoreTableProps {
  readonly rows: readonly RolloutRow[];
  readonly scores: readonly string[];
  /** Without it, the table has no column of weights. */
  readonly weights?: readonly RunScore[] | undefined;
  /** The caption of the table for screen readers. Default: the scores. */
  readonly label?: string | undefined;
  /** Whether the first row is the reward. */
  readonly hasReward?: boolean | undefined;
}

/** The distribution of each score over rollouts. */
export function ScoreTable({ rows, scores, weights, label, hasReward }: ScoreTableProps) {
  const lines = scores.map((name) => [name, valuesOf(rows, (row) => row.scores[name])] as const);
  if (hasReward === true) lines.unshift(["reward", valuesOf(rows, ({ reward }) => reward)]);
  const columns = ["mean", "std", "min", "max", "n"];
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label ?? "Scores"}>
      <table>
        <thead>
          <tr>
            <th scope="col">score</th>
            {(weights === undefined ? columns : ["weight", ...columns]).map((title) => (
              <th key={title} scope="col" className="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(([name, values], index) => (
            <tr key={index}>
              <th scope="row">{name}</th>
              {weights !== undefined && (
                <td className="number">
                  {figure(weights.find((score) => score.name === name)?.weight)}
                </td>
              )}
              <td className="number">{figure(mean(values))}</td>
              <td className="number">{figure(deviation(values))}</td>
              <td className="number">{figure(extreme(values, Math.min))}</td>
              <td className="number">{figure(extreme(values, Math.max))}</td>
              <td className="number">{count(values.length)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function valuesOf(
  rows: readonly RolloutRow[],
  read: (row: RolloutRow) => number | null | undefined,
): readonly number[] {
  return rows.flatMap((row) => {
    const value = read(row);
    return typeof value === "number" ? [value] : [];
  });
}

/** The least or the greatest value. A run may have more values than a call has arguments. */
function extreme(
  values: readonly number[],
  choose: (a: number, b: number) => number,
): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => choose(a, b));
}
