import type { RecordedScore } from "@envs/records";

import type { ViewedRollout } from "../../record/rollout.ts";
import type { RunScore } from "../../run/run.ts";
import { Figure } from "../figure.tsx";
import { difference, figure } from "../format.ts";

interface Contribution {
  readonly score: RecordedScore;
  readonly weight: number | null;
  /** Weight × value; `null` if either is unknown. */
  readonly part: number | null;
}

/** The table of scores, each with its part of the reward. */
export function ScoreTable({
  viewed,
  scores,
}: {
  readonly viewed: ViewedRollout;
  readonly scores: readonly RunScore[];
}) {
  if (viewed.scores.length === 0) return null;
  const contributions = viewed.scores.map((score): Contribution => {
    const weight = score.weight ?? scores.find(({ name }) => name === score.name)?.weight ?? null;
    return {
      score,
      weight,
      part: weight === null || score.value === null ? null : weight * score.value,
    };
  });
  // A score that the config disables is null in every record.
  const rewarded = contributions.filter(
    ({ score, weight }) => weight !== 0 && (score.value !== null || score.label !== undefined),
  );
  const metrics = contributions.filter(({ score, weight }) => weight === 0 && score.value !== null);
  const hasWeights = contributions.some(({ weight }) => weight !== null);
  const longest = Math.max(...contributions.map(({ part }) => Math.abs(part ?? 0)), 1e-12);
  return (
    <>
      <div className="scroll score-box" tabIndex={0} role="region" aria-label="Scores">
        <table className="scores">
          <thead>
            <tr>
              <th scope="col">score</th>
              <th scope="col" className="number">
                value
              </th>
              {hasWeights && (
                <>
                  <th scope="col" className="number">
                    weight
                  </th>
                  <th scope="col" className="number">
                    adds
                  </th>
                  <th scope="col" className="bar-cell">
                    <span className="unseen">share</span>
                  </th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {rewarded.map(({ score, weight, part }) => (
              <tr key={score.name}>
                <th scope="row">{score.name}</th>
                <td className="number">
                  {score.label === undefined ? figure(score.value) : score.label}
                </td>
                {hasWeights && (
                  <>
                    <td className="number">{weight === null ? "" : `× ${figure(weight)}`}</td>
                    <td className="number">{part === null ? "" : difference(part)}</td>
                    <td className="bar-cell">
                      {part !== null && part !== 0 && (
                        <span
                          className={part > 0 ? "part part-up" : "part part-down"}
                          style={{ width: `${(100 * Math.abs(part)) / longest}%` }}
                        />
                      )}
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
          {hasWeights && viewed.reward !== null && (
            <tfoot>
              <tr>
                <th scope="row">reward</th>
                <td />
                <td />
                <td className="number strong">{figure(viewed.reward)}</td>
                <td />
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      {metrics.length > 0 && (
        <dl className="figures metrics" aria-label="Metrics">
          {metrics.map(({ score }) => (
            <Figure key={score.name} name={score.name} value={figure(score.value)} />
          ))}
        </dl>
      )}
    </>
  );
}
