import type { ReactNode } from "react";

import type { ModelBoard, ModelView, Rival } from "../../evaluations/models/model-view.ts";
import { Badges } from "../evaluation/badges.tsx";
import { IntervalMark, scaleOf } from "../evaluation/interval-mark.tsx";
import {
  boardPath,
  configText,
  cost,
  count,
  counted,
  declaredText,
  interval,
  modelPath,
  percent,
  score,
  short,
} from "../evaluation/texts.ts";
import { Day, NameLink } from "../layout/elements.tsx";
import { number, Table, unseen } from "../layout/table.tsx";

/** A model across environments: a run for each leaderboard, the other models there, and how many of its runs count. */
export function ModelPage({
  model,
  view: { boards, rivals, declared },
}: {
  readonly model: string;
  readonly view: ModelView;
}): ReactNode {
  return (
    <>
      {model.startsWith("policy:") && (
        <p className="quiet">
          This is a policy, not a model: each environment has its own code of this name.{" "}
          <a href="/models?kind=policy">All policies</a>
        </p>
      )}
      <Counts boards={boards} declared={declared} />
      <h2>Leaderboards</h2>
      {boards.length === 0 ? (
        <p className="quiet">No run of this model was pushed.</p>
      ) : (
        <>
          <Boards boards={boards} />
          <p className="small quiet">
            One run for each environment, config and choice of examples: of the newest version that
            the model has played, the run with the strongest evidence. The dashed line is the reward
            of the leaderboard’s first run, on the scale of the leaderboard. Rewards of different
            environments are not comparable. <a href="/docs/concepts/evidence">Evidence</a>
          </p>
        </>
      )}
      {rivals.length > 0 && (
        <>
          <h2>Beside other models</h2>
          <Rivals rivals={rivals} />
        </>
      )}
    </>
  );
}

/** How many runs the model has, and how many of them do not count. */
function Counts({ boards, declared }: Pick<ModelView, "boards" | "declared">): ReactNode {
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const runs = sum(boards.map((board) => board.runs));
  const refuted = sum(boards.map((board) => board.refuted));
  const environments = new Set(boards.map(({ run }) => run.recipe.package)).size;
  const counts = {
    declared: sum(declared.map((each) => each.declared)),
    completed: sum(declared.map((each) => each.completed)),
    open: sum(declared.map((each) => each.open)),
  };
  const lost = counts.declared - counts.completed - counts.open;
  return (
    <ul className="facts-line">
      <li>{counted(runs, "run")}</li>
      <li>{counted(environments, "environment")}</li>
      {counts.declared > 0 && (
        <li className={lost > 0 ? "failed" : undefined}>{declaredText(counts)}</li>
      )}
      {refuted > 0 && <li className="failed">{`${count(refuted)} refuted by a replay`}</li>}
    </ul>
  );
}

function Boards({ boards }: { readonly boards: readonly ModelBoard[] }): ReactNode {
  return (
    <Table
      label="Leaderboards"
      className="run-table stacked"
      headings={[
        "Environment",
        number("Rank"),
        number("Reward"),
        "95 % interval",
        number("pass@1"),
        number("Tokens"),
        number("Cost"),
        "Evidence",
        "Run",
      ]}
    >
      {boards.map(boardRow)}
    </Table>
  );
}

function boardRow({ run, rank, standings, runs, refuted }: ModelBoard): ReactNode {
  const { id, owner, recipe, summary, badges, pushedAt } = run;
  const { ranked, usage } = summary;
  const { version, configHash: config, sample: examples } = recipe;
  const own = { mean: ranked.reward, interval: ranked.interval };
  const scale = scaleOf([own, ...standings.map(({ item }) => item)]);
  return (
    <tr key={id}>
      <td>
        <NameLink href={boardPath(recipe.package, { version, config, examples })}>
          {recipe.package}
        </NameLink>
        <span className="quiet small block">
          {version}, {configText(recipe.config)}, {counted(summary.examples, "example")}
          {recipe.split !== null && ` of ${recipe.split}`}
        </span>
      </td>
      <td className="number rank">
        {rank === undefined ? (
          "–"
        ) : (
          <>
            {rank.rank}
            {rank.isTied && <abbr title="Tied: the intervals overlap">=</abbr>}{" "}
            <span className="quiet small">of {count(standings.length)}</span>
          </>
        )}
      </td>
      <td className="number strong">{score(ranked.reward)}</td>
      <td>
        <IntervalMark
          mean={ranked.reward}
          interval={ranked.interval}
          scale={scale}
          reference={standings[0]?.item.mean ?? undefined}
        />
        <span className="quiet small block number-left">{interval(ranked.interval)}</span>
      </td>
      <td className="number">{percent(ranked.passAtK["1"])}</td>
      <td className="number">{short(usage.inputTokens + usage.outputTokens)}</td>
      <td className="number">{cost(summary.cost)}</td>
      <td>
        <Badges badges={badges} />
        {refuted > 0 && rank !== undefined && (
          <span className="failed small block">{`${count(refuted)} other refuted`}</span>
        )}
      </td>
      <td>
        <a href={`/run/${id}`}>
          <Day date={new Date(pushedAt)} />
        </a>
        <span className="quiet small block">
          by <a href={`/user/${owner}`}>{owner}</a>
          {runs > 1 && `, 1 of ${count(runs)} runs`}
        </span>
      </td>
    </tr>
  );
}

function Rivals({ rivals }: { readonly rivals: readonly Rival[] }): ReactNode {
  return (
    <>
      <Table
        label="Beside other models"
        className="run-table stacked"
        headings={[
          "Model",
          number("Shared leaderboards"),
          number("Above it"),
          number("Tied"),
          number("Below it"),
          unseen("Compare"),
        ]}
      >
        {rivals.map(({ model: rival, above, tied, below, pair: [own, other] }) => (
          <tr key={rival}>
            <td>
              <NameLink href={modelPath(rival)}>{rival}</NameLink>
            </td>
            <td className="number">{count(above + tied + below)}</td>
            <td className="number">{count(above)}</td>
            <td className="number">{count(tied)}</td>
            <td className="number">{count(below)}</td>
            <td>
              <a
                href={`/compare?run=${own}&run=${other}`}
                aria-label={`Compare with ${rival} example by example`}
              >
                Compare
              </a>
            </td>
          </tr>
        ))}
      </Table>
      <p className="small quiet">
        The model is above another one on a leaderboard if its whole interval is, and tied if the
        intervals overlap.
      </p>
    </>
  );
}
