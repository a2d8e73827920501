import type { Run, RunBadge } from "@envs/hub-client";
import type { ReactNode } from "react";

import { DateTime } from "../layout/date-time.tsx";

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
