import type { Rescoring, Run, RunBadge } from "@envs/hub-client";
import type { ReactNode } from "react";

import { DateTime, Facts } from "../layout/elements.tsx";

/** The statement of each badge. */
const meanings: Readonly<Record<RunBadge["name"], string>> = {
  reported: "The rollouts are on this hub, which computed every number from them.",
  rescored: "The hub replayed the replies through the published code and got the same scores.",
  reproduced: "Another run of the same recipe has an overlapping interval.",
};

/** The badges of a run in a row. */
export function Badges({ badges }: { readonly badges: Run["badges"] }): ReactNode {
  return (
    <ul className="tags">
      {badges.map(({ name }) => (
        <li key={name} className={name === "reported" ? "tag" : "tag good"} title={meanings[name]}>
          {name}
        </li>
      ))}
    </ul>
  );
}

/** The evidence of each badge of a run. */
export function Evidence({ badges }: { readonly badges: Run["badges"] }): ReactNode {
  return (
    <ul className="list">
      {badges.map(({ name, createdAt, evidence }) => (
        <li key={name}>
          <div className="what">
            <strong>{name}</strong>
            <span>{meanings[name]}</span>
            <span className="quiet small">
              <DateTime date={new Date(createdAt)} />
            </span>
            <code className="small">{JSON.stringify(evidence)}</code>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Why an evaluation does not have the badge `rescored`. */
export function RescoringNote({ rescoring }: { readonly rescoring: Rescoring }): ReactNode {
  if (rescoring.outcome === "rescored") return null;
  if (rescoring.outcome === "waiting")
    return <p className="quiet">The hub will replay this run. Load this page again in a minute.</p>;
  if (rescoring.outcome === "impossible")
    return <p className="quiet">Not rescored. {rescoring.reason}</p>;
  const { different, evidence, first } = rescoring;
  return (
    <div className="card">
      <p>
        <span className="tag danger">different</span> The replay of{" "}
        {evidence.rollouts.toLocaleString("en")} rollouts gave {different.toLocaleString("en")} of
        them other results. The first is rollout {first.rolloutIndex} of example{" "}
        {first.exampleIndex}:
      </p>
      <Facts
        facts={[
          ["Field", <code>{first.field}</code>],
          ["Recorded", <code>{JSON.stringify(first.recorded)}</code>],
          ["Replayed", <code>{JSON.stringify(first.replayed)}</code>],
        ]}
      />
    </div>
  );
}
