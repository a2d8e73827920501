import { useMemo } from "react";

import { compareRuns } from "../../analysis/compare-runs.ts";
import { Figure } from "../figure.tsx";
import { count, difference, figure } from "../format.ts";
import { runTitle } from "../header.tsx";
import { useRun } from "../use-run.ts";
import type { ViewProps } from "../view-props.ts";
import { ComparedRollouts } from "./compared-rollouts.tsx";
import { Histogram } from "./histogram.tsx";
import { PairTable } from "./pair-table.tsx";

/** Two runs side by side: the distributions of a score, and the differences example by example. */
export function CompareView(props: ViewProps) {
  const { address, navigate, runs, run, scores } = props;
  const others = runs.filter(({ id, kind }) => id !== address.run && kind === "evaluation");
  const sameEnvironment = others.filter(({ environment }) => environment === run.head?.environment);
  const other = useRun(address.other);
  const score = address.score || "reward";
  const comparison = useMemo(
    () => compareRuns(run.rows, other.rows, score),
    [run.rows, other.rows, score],
  );
  const pair = comparison.pairs.find(({ key }) => key === address.rollout);
  const samples = comparison.values;

  return (
    <main className="page compare">
      <form className="controls control-row" onSubmit={(event) => event.preventDefault()}>
        <select
          aria-label="Compare with"
          value={address.other}
          onChange={(event) => navigate({ other: event.target.value, rollout: "" })}
        >
          <option value="">Compare with…</option>
          {[...sameEnvironment, ...others.filter((entry) => !sameEnvironment.includes(entry))].map(
            (entry) => (
              <option key={entry.id} value={entry.id}>
                {runTitle(entry)}
              </option>
            ),
          )}
        </select>
        <select
          aria-label="Score"
          value={score}
          onChange={(event) => navigate({ score: event.target.value })}
        >
          {["reward", ...scores].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </form>
      {address.other === "" ? (
        <p className="quiet empty">
          {others.length === 0
            ? "There is no other run to compare with."
            : "Choose the run that this one is compared with."}
        </p>
      ) : other.problem !== undefined ? (
        <p className="problem" role="alert">
          {other.problem}
        </p>
      ) : (
        <>
          <ul className="legend">
            <li>
              <span className="swatch series-1" aria-hidden="true" />{" "}
              {run.head && runTitle(run.head)}
            </li>
            <li>
              <span className="swatch series-2" aria-hidden="true" />{" "}
              {other.head && runTitle(other.head)}
            </li>
          </ul>
          {pair === undefined && (
            <Histogram label={`Distribution of ${score} in both runs`} samples={samples} />
          )}
          <dl className="figures">
            <Figure
              name={`mean ${score}`}
              value={`${figure(comparison.means[0])} and ${figure(comparison.means[1])}`}
            />
            <Figure
              name="difference, 95 % interval"
              value={
                comparison.difference === null
                  ? "–"
                  : `${difference(comparison.difference)}${
                      comparison.interval === null
                        ? ""
                        : ` (${difference(comparison.interval.low)} to ${difference(comparison.interval.high)})`
                    }`
              }
            />
            <Figure name="worse" value={count(comparison.worse)} />
            <Figure name="better" value={count(comparison.better)} />
            <Figure name="equal" value={count(comparison.equal)} />
            {comparison.only.some((value) => value > 0) && (
              <Figure name="only in one run" value={comparison.only.map(count).join(" and ")} />
            )}
          </dl>
          {pair === undefined ? (
            <PairTable
              comparison={comparison}
              isReady={run.isReady && other.isReady}
              onOpen={(key) => navigate({ rollout: key })}
            />
          ) : (
            <ComparedRollouts {...props} pair={pair} other={other} />
          )}
        </>
      )}
    </main>
  );
}
