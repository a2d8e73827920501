import type { EpisodeView } from "@envs/records/bundle";
import type { ReactNode } from "react";

import type { ScoreDescription } from "./session.ts";

/** The reward and the scores of the position. */
export function ScorePanel({
  scores,
  descriptions,
  isOver,
}: {
  readonly scores: EpisodeView["scores"];
  readonly descriptions: readonly ScoreDescription[];
  readonly isOver: boolean;
}): ReactNode {
  const values = scores?.scores;
  const unjudged = Object.keys(scores?.unjudged ?? {});
  const rewarded = descriptions.filter(
    ({ name, weight }) =>
      weight !== 0 && (values === undefined || typeof values[name] === "number"),
  );
  const metrics = descriptions.filter(
    ({ name, weight }) => weight === 0 && values?.[name] !== undefined,
  );
  return (
    <section className="play-scores" aria-labelledby="play-scores">
      <h2 id="play-scores">{isOver ? "Result" : "Score"}</h2>
      <p className="play-reward" role="status">
        <span>{isOver ? "Reward" : "Reward so far"}</span>
        <strong>{scores === undefined ? "–" : format(scores.reward)}</strong>
      </p>
      <ScoreList scores={rewarded} values={values} />
      {unjudged.length > 0 && <p className="play-unjudged">Not judged: {unjudged.join(", ")}</p>}
      {metrics.length > 0 && (
        <details className="play-metrics">
          <summary>Metrics</summary>
          <ScoreList scores={metrics} values={values} />
        </details>
      )}
    </section>
  );
}

function ScoreList({
  scores,
  values,
}: {
  readonly scores: readonly ScoreDescription[];
  readonly values: Readonly<Record<string, number | null>> | undefined;
}): ReactNode {
  return (
    <dl className="play-score-list">
      {scores.map((score) => (
        <Score key={score.name} score={score} value={values?.[score.name]} />
      ))}
    </dl>
  );
}

function Score({
  score: { name, weight, range, description },
  value,
}: {
  readonly score: ScoreDescription;
  readonly value: number | null | undefined;
}): ReactNode {
  const [least, most] = range ?? [];
  const hasMeter =
    typeof value === "number" &&
    least !== undefined &&
    most !== undefined &&
    Number.isFinite(least) &&
    Number.isFinite(most);
  return (
    <>
      <dt title={description}>
        {name}
        {weight !== 0 && weight !== 1 && <small> × {format(weight)}</small>}
      </dt>
      <dd>
        {hasMeter && <meter aria-label={name} min={least} max={most} value={value} />}
        <span className="number">{typeof value === "number" ? format(value) : "–"}</span>
      </dd>
    </>
  );
}

/** At most three decimals. */
function format(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
