import type { Run } from "@envs/hub-client";
import type { ReactNode } from "react";

import { type Leaderboard, leaderboardOf } from "../../../evaluations/leaderboard/leaderboard.ts";
import { readRuns } from "../../../evaluations/runs/read-runs.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { ModelPackage } from "../../evaluation/model-package.tsx";
import { Command } from "../../layout/elements.tsx";
import { number, Table } from "../../layout/table.tsx";
import type { PackageView } from "../package-view.ts";

/** The first board of the environment, and the trainings that produced a model. */
export interface EvaluationSummary {
  readonly leaderboard: Leaderboard;
  readonly trainings: readonly Run[];
}

const shownRows = 5;

/** Reads the runs of the package that its main page shows. */
export async function evaluationsOf(
  hub: Hub,
  { package: { id }, identity }: PackageView,
): Promise<EvaluationSummary> {
  const package_ = { packageId: id, identity };
  const filter = { packageId: id, kind: "training" } as const;
  return {
    leaderboard: await leaderboardOf(hub, package_),
    trainings: await readRuns(hub.database, identity, filter, { from: 0, limit: shownRows }),
  };
}

/** The best runs of the first board, and the models that were trained on the environment. */
export function Evaluations({
  view: { detail, path },
  summary: { leaderboard, trainings },
}: {
  readonly view: PackageView;
  readonly summary: EvaluationSummary;
}): ReactNode {
  const { board, rows } = leaderboard;
  return (
    <>
      <section className="section">
        <h2 id="evaluations">Evaluations</h2>
        {board === null ? (
          <div className="empty">
            <p>No evaluation of this environment was pushed yet. Push one:</p>
            <Command text={`envs eval ${detail.name} -m <model> --push`} />
          </div>
        ) : (
          <>
            <p className="quiet">
              Version {board.version}, {board.examples}{" "}
              {board.examples === 1 ? "example" : "examples"},{" "}
              {Object.keys(board.config).length === 0 ? "the default config" : "another config"}.
            </p>
            <Rows rows={rows.slice(0, shownRows)} />
            <p>
              <a href={`${path}/evaluations`}>
                The leaderboard, with {board.runs} {board.runs === 1 ? "run" : "runs"} on this board
              </a>
            </p>
          </>
        )}
      </section>
      <section className="section">
        <h2 id="models">Models trained on it</h2>
        {trainings.length === 0 ? (
          <div className="empty">
            <p>No training run was pushed yet. Train, and push the run:</p>
            <Command text={`envs train ${detail.name}`} />
            <Command text="envs run push outputs/train/<run>" />
          </div>
        ) : (
          <Trainings runs={trainings} />
        )}
      </section>
    </>
  );
}

function Rows({ rows }: { readonly rows: Leaderboard["rows"] }): ReactNode {
  return (
    <Table
      label="Best evaluations"
      headings={[
        number("Rank"),
        "Model",
        number("Reward"),
        number("95 % interval"),
        number("Rollouts"),
        "Evidence",
      ]}
    >
      {rows.map(({ rank, run: { id, recipe, summary, badges } }) => (
        <tr key={id}>
          <td className="number">{rank ?? "–"}</td>
          <td>
            <a href={`/run/${id}`}>{recipe.model}</a>
          </td>
          <td className="number">{numberText(summary.ranked.reward)}</td>
          <td className="number">
            {summary.ranked.interval === null
              ? ""
              : `${numberText(summary.ranked.interval.low)} to ${numberText(summary.ranked.interval.high)}`}
          </td>
          <td className="number">{summary.counts.scored.toLocaleString("en")}</td>
          <td>{badges.at(-1)?.name}</td>
        </tr>
      ))}
    </Table>
  );
}

function Trainings({ runs }: { readonly runs: readonly Run[] }): ReactNode {
  return (
    <ul className="list">
      {runs.map(({ id, recipe, owner }) => (
        <li key={id}>
          <span className="what">
            <a href={`/run/${id}`}>{recipe.model}</a>
            <span className="quiet small">
              {owner}
              {recipe.modelPackage !== null && (
                <>
                  {" · "}
                  <ModelPackage spec={recipe.modelPackage} />
                </>
              )}
            </span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function numberText(value: number | null): string {
  return value === null ? "" : value.toFixed(3);
}
