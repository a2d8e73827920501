import type { HubPlay, Rescoring, Run } from "@envs/hub-client";
import type { ReactNode } from "react";

import type { ExampleResult } from "../../evaluations/compare/example-means.ts";
import type { StepMetrics } from "../../evaluations/rollouts/list-rollouts.ts";
import type { EqualRun } from "../../evaluations/runs/equal-run.ts";
import type { Repeat } from "../../evaluations/runs/reproductions.ts";
import type { Visitor } from "../../identity/sessions/visitor.ts";
import { DateTime, NameLink } from "../layout/elements.tsx";
import { Form } from "../layout/form.tsx";
import { ReportLink } from "../moderation/report.tsx";
import { Badges, Evidence, Repeats, RescoringNote } from "./badges.tsx";
import { Curves } from "./curves.tsx";
import { ExampleList } from "./example-list.tsx";
import { Histogram } from "./histogram.tsx";
import { HubPlayNote } from "./hub-play-note.tsx";
import { ModelPackage } from "./model-package.tsx";
import { Recipe } from "./recipe.tsx";
import { Failures, RunNumbers, ScoreTable, ToolTable } from "./run-numbers.tsx";
import { boardPath, configText, count, counted, viewerPath } from "./texts.ts";

/** The data of a run's page. */
export interface RunView {
  readonly run: Run;
  readonly weights: ReadonlyMap<string, number>;
  readonly best: readonly ExampleResult[];
  readonly worst: readonly ExampleResult[];
  /** Empty for an evaluation. */
  readonly metrics: readonly StepMetrics[];
  /** Undefined for a training. */
  readonly rescoring: Rescoring | undefined;
  readonly repeats: readonly Repeat[];
  readonly equal: EqualRun | undefined;
  /** Undefined for a training. */
  readonly play: HubPlay | undefined;
  readonly mayRequestPlay: boolean;
  /** Undefined for visitors who are not signed in. */
  readonly visitor: Visitor | undefined;
}

/** The page of a run: its numbers, its rollouts, and the recipe to repeat it. */
export function RunPage({
  run,
  weights,
  best,
  worst,
  metrics,
  rescoring,
  repeats,
  equal,
  play,
  mayRequestPlay,
  visitor,
}: RunView): ReactNode {
  const { id, kind, owner, summary, recipe, badges, pushedAt } = run;
  const isOwn = visitor?.session?.user.name === owner && !visitor.session.waitsForCode;
  const hasRollouts = summary.counts.total > 0;
  const isRefuted = rescoring?.outcome === "different";
  return (
    <>
      {isRefuted && <RescoringNote rescoring={rescoring} />}
      <p className="lead">
        {kind === "training" ? "A training on " : "On "}
        <NameLink href={`/package/${recipe.package}/v/${recipe.version}`}>
          {recipe.package}@{recipe.version}
        </NameLink>{" "}
        with {configText(recipe.config)}
      </p>
      <p className="byline">
        <Badges badges={badges} />
        <span className="quiet">
          pushed by <a href={`/user/${owner}`}>{owner}</a>, <DateTime date={new Date(pushedAt)} />
        </span>
      </p>
      <p className="buttons">
        {hasRollouts && (
          <a className="button" href={viewerPath(id)}>
            Read its {counted(summary.counts.total, "rollout")}
          </a>
        )}
        {kind === "evaluation" && <BoardLink run={run} />}
      </p>
      {kind === "training" && (
        <section>
          <h2>Curves</h2>
          <Curves rows={metrics} />
          {recipe.modelPackage !== null && (
            <p>
              The trained model: <ModelPackage spec={recipe.modelPackage} />
            </p>
          )}
        </section>
      )}
      {hasRollouts && (
        <>
          <RunNumbers summary={summary} />
          <section>
            <h2>Scores</h2>
            <ScoreTable summary={summary} weights={weights} />
          </section>
          <section>
            <h2>Rewards</h2>
            <Histogram bins={summary.histogram} />
          </section>
          <ToolTable summary={summary} />
          <Failures summary={summary} />
          {best.length > 0 && (
            <section>
              <h2>Examples</h2>
              <div className="two-columns">
                <ExampleList title="Lowest rewards" runId={id} examples={worst} />
                <ExampleList title="Highest rewards" runId={id} examples={best} />
              </div>
            </section>
          )}
        </>
      )}
      <section>
        <h2>Evidence</h2>
        <Evidence run={run} />
        {equal !== undefined && (
          <p>
            <span className="tag warn">equal replies</span> All replies are those of an earlier{" "}
            <a href={`/run/${equal.id}`}>run of {equal.owner}</a> with the model{" "}
            <code>{equal.model}</code>. This is a copy, or both are the same policy.
          </p>
        )}
        {rescoring !== undefined && !isRefuted && <RescoringNote rescoring={rescoring} />}
        <Repeats repeats={repeats} />
        {play !== undefined && <HubPlayNote {...{ id, play, mayRequest: mayRequestPlay }} />}
      </section>
      <section>
        <h2>Recipe</h2>
        <Recipe run={run} />
      </section>
      <p className="small">
        Download the {count(summary.counts.total)} rollouts as{" "}
        <a href={`/run/${id}/rollouts.csv`}>CSV</a> or whole as{" "}
        <a href={`/run/${id}/results.jsonl`}>JSON lines</a>, and the numbers as{" "}
        <a href={`/api/v1/runs/${id}`}>JSON</a>.
      </p>
      {isOwn ? (
        <DeleteRun id={id} />
      ) : (
        <p className="small">
          <ReportLink kind="run" name={id} />
        </p>
      )}
    </>
  );
}

function BoardLink({ run: { recipe } }: { readonly run: Run }): ReactNode {
  const { version, configHash: config, sample: examples } = recipe;
  return (
    <a className="button second" href={boardPath(recipe.package, { version, config, examples })}>
      Its leaderboard
    </a>
  );
}

function DeleteRun({ id }: { readonly id: string }): ReactNode {
  return (
    <details className="card">
      <summary>Delete this run</summary>
      <p>The run disappears from its leaderboard, with all rollouts. This cannot be undone.</p>
      <Form action={`/run/${id}/delete`}>
        <button className="danger">Delete the run</button>
      </Form>
    </details>
  );
}
