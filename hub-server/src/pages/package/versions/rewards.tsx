import { type ManifestChange, requiredBump, type RewardComparison } from "@envs/hub-client";
import type { ReactNode } from "react";

import { counted } from "../../evaluation/texts.ts";
import { Table } from "../../layout/table.tsx";

type Compared = Extract<RewardComparison, { outcome: "compared" }>;

/** The rewards that differ between two versions on the same replies, and the version number that this requires. */
export function Rewards({
  comparison,
  changes,
}: {
  readonly comparison: RewardComparison;
  readonly changes: readonly ManifestChange[];
}): ReactNode {
  return (
    <section aria-labelledby="rewards">
      <h3 id="rewards">Rewards</h3>
      {comparison.outcome === "waiting" && (
        <p className="quiet">
          The hub replays the evaluations of the older version with the newer one. Load this page
          again in a minute.
        </p>
      )}
      {comparison.outcome === "impossible" && (
        <p className="quiet">Not compared. {comparison.reason}</p>
      )}
      {comparison.outcome === "compared" && <Result comparison={comparison} changes={changes} />}
    </section>
  );
}

function Result({
  comparison,
  changes,
}: {
  readonly comparison: Compared;
  readonly changes: readonly ManifestChange[];
}): ReactNode {
  const { runs, rollouts, rescored, conversations, unplayable, problem } = comparison;
  const { bump } = requiredBump(changes, comparison);
  return (
    <>
      <p>
        <span className={comparison.isSame ? "tag good" : "tag warn"}>
          {comparison.isSame ? "same" : "changed"}
        </span>{" "}
        The hub replayed {counted(rollouts, "rollout")} of {counted(runs, "evaluation")}:{" "}
        {rescored.toLocaleString("en")} with other scores, {conversations.toLocaleString("en")} with
        other messages, {unplayable.toLocaleString("en")} that cannot be replayed. This is a{" "}
        <strong>{bump}</strong> change.
      </p>
      {problem !== null && <p className="quiet small">{problem}</p>}
      <Scores comparison={comparison} />
      {!comparison.isSame && comparison.models.length > 1 && <Models comparison={comparison} />}
    </>
  );
}

function Scores({ comparison: { scores } }: { readonly comparison: Compared }): ReactNode {
  const changed = scores.filter((score) => score.changed > 0);
  if (changed.length === 0) return null;
  return (
    <Table
      label="Changed scores"
      headings={["Score", "Rollouts", "Mean before", "Mean after", "Largest change"]}
    >
      {changed.map(({ name, changed: count, before, after, largest }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{count.toLocaleString("en")}</td>
          <td>{number(before)}</td>
          <td>{number(after)}</td>
          <td>{number(largest)}</td>
        </tr>
      ))}
    </Table>
  );
}

function Models({ comparison: { models } }: { readonly comparison: Compared }): ReactNode {
  return (
    <Table label="Models" headings={["Model", "Rank", "Reward before", "Reward after"]}>
      {models.map(({ model, rankBefore, rankAfter, before, after }) => (
        <tr key={model}>
          <th scope="row">{model}</th>
          <td>{rankBefore === rankAfter ? rankBefore : `${rankBefore}, now ${rankAfter}`}</td>
          <td>{number(before)}</td>
          <td>{number(after)}</td>
        </tr>
      ))}
    </Table>
  );
}

function number(value: number | null): string {
  return value === null ? "" : value.toFixed(3);
}
