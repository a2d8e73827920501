import type { RolloutRow } from "../../run/run.ts";
import { plural } from "../format.ts";
import type { ViewProps } from "../view-props.ts";
import { ScoreTable } from "./score-table.tsx";

interface PartScoresProps extends Pick<ViewProps, "scores" | "navigate"> {
  readonly part: string;
  readonly rows: readonly RolloutRow[];
}

/** The reward and the scores of the rollouts that a part of a mix played. Scores that the part does not have are left out. */
export function PartScores({ part, rows, scores, navigate }: PartScoresProps) {
  const played = rows.filter(({ mixPart }) => mixPart === part);
  const own = scores.filter((name) => played.some((row) => typeof row.scores[name] === "number"));
  return (
    <>
      <p>
        <button
          type="button"
          className="link"
          onClick={() => navigate({ view: "", part, rollout: played[0]?.id ?? "" })}
        >
          {part}
        </button>{" "}
        <span className="quiet">{plural(played.length, "rollout")}</span>
      </p>
      <ScoreTable rows={played} scores={own} label={`Scores of ${part}`} hasReward />
    </>
  );
}
