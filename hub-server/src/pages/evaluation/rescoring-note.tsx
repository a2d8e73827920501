import type { Rescoring } from "@envs/hub-client";
import type { ReactNode } from "react";

import { Facts } from "../layout/facts.tsx";

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
