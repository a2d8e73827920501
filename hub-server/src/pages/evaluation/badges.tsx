import type { Rescoring, Run, RunBadge } from "@envs/hub-client";
import type { ReactNode } from "react";

import { needsDataset } from "../../evaluations/declarations/sample.ts";
import type { Repeat } from "../../evaluations/runs/reproductions.ts";
import { DateTime, Facts } from "../layout/elements.tsx";

/** The statement of each badge. */
const meanings: Readonly<Record<RunBadge["name"], string>> = {
  uploaded: "The rollouts are on this hub. The run was not declared before, so it has no rank.",
  declared: "The hub chose the seed before the run, and has every rollout of the declared recipe.",
  rescored: "The hub replayed the replies through the published code and got the same scores.",
  reproduced:
    "Other users ran the same recipe and got new replies with an overlapping interval. The hub did not see them sample.",
  refuted: "The hub replayed the replies and got other rewards, so the run has no rank.",
};

/** How much a badge says for a run. */
export function toneOf(name: RunBadge["name"]): string {
  if (name === "refuted") return "tag danger";
  return name === "uploaded" || name === "declared" ? "tag" : "tag good";
}

/** The badges of a run in a row. */
export function Badges({ badges }: { readonly badges: Run["badges"] }): ReactNode {
  return (
    <ul className="tags">
      {badges.map((badge) => (
        <li key={badge.name} className={toneOf(badge.name)} title={meanings[badge.name]}>
          {badgeText(badge)}
        </li>
      ))}
    </ul>
  );
}

/** The name of a badge; with the users who reproduced the run. */
function badgeText({ name, evidence: { by } }: RunBadge): string {
  if (!Array.isArray(by) || by.length === 0) return name;
  const [first] = by as readonly string[];
  return `${name} by ${first}${by.length > 1 ? ` and ${by.length - 1} more` : ""}`;
}

/** Why a run that repeats another one counts as a reproduction, or does not. */
const outcomes: Readonly<Record<Repeat["outcome"], string>> = {
  reproduced: "counts: new replies, and the intervals overlap",
  own: "does not count: the same user pushed both runs",
  "package-owner": "does not count: its user may publish the package",
  "other-recipe": "does not count: its recipe differs",
  "not-declared": "does not count: the first run was declared, and this one was not",
  "fewer-rollouts": "does not count: it has fewer scored rollouts",
  "same-replies": "does not count: its replies are those of an earlier run, so it may be a copy",
  disagrees: "disagrees: the intervals do not overlap",
  refuted: "does not count: the hub replayed it and got other scores",
};

/** The runs that repeat a run. */
export function Repeats({ repeats }: { readonly repeats: readonly Repeat[] }): ReactNode {
  if (repeats.length === 0) return null;
  return (
    <ul className="list" aria-label="Runs that repeat this one">
      {repeats.map(({ id, owner, outcome, createdAt }) => (
        <li key={id}>
          <div className="what">
            <span>
              <a href={`/run/${id}`}>Repeated</a> by <a href={`/user/${owner}`}>{owner}</a>
            </span>
            <span>{outcomes[outcome]}</span>
            <span className="quiet small">
              <DateTime date={createdAt} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The evidence of each badge of a run. */
export function Evidence({ run: { badges, recipe } }: { readonly run: Run }): ReactNode {
  const isReplayed = badges.some(({ name }) => name === "rescored" || name === "refuted");
  const isClaim = !isReplayed && needsDataset(recipe.details["select"]);
  return (
    <ul className="list">
      {badges.map(({ name, createdAt, evidence }) => (
        <li key={name}>
          <div className="what">
            <strong>{name}</strong>
            <span>{meanings[name]}</span>
            {name === "declared" && isClaim && (
              <span>
                Which examples the selection has is the claim of its user: only a replay checks it.
              </span>
            )}
            <span className="quiet small">
              <DateTime date={new Date(createdAt)} />
            </span>
            <Facts
              className="small"
              facts={Object.entries(evidence).map(([key, value]) => [
                key,
                <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>,
              ])}
            />
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
    return (
      <p className="quiet">
        The hub will replay this run. {rescoring.reason ?? "Load this page again in a minute."}
      </p>
    );
  if (rescoring.outcome === "impossible")
    return <p className="quiet">Not rescored. {rescoring.reason}</p>;
  const { different, evidence, first } = rescoring;
  return (
    <div className="card">
      <p>
        <span className="tag danger">refuted</span> This run has no rank. The replay of{" "}
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
