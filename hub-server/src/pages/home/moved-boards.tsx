import { counted, dayOf } from "@envs/web";
import type { ReactNode } from "react";

import type { MovedBoard } from "../../evaluations/models/moved-boards.ts";
import type { RankedRun } from "../../evaluations/models/ranked-runs.ts";
import { boardPath, count, modelPath, score } from "../evaluation/texts.ts";
import { NameLink } from "../layout/elements.tsx";

/** The leaderboards with the newest runs, each with its first model and the first one before. */
export function MovedBoards({ boards }: { readonly boards: readonly MovedBoard[] }): ReactNode {
  return (
    <section className="moved">
      <h2>Leaderboards that moved</h2>
      {boards.length === 0 ? (
        <p className="quiet">
          No declared evaluation yet. Push one with{" "}
          <code>envs eval &lt;environment&gt; --push</code>.
        </p>
      ) : (
        <ol className="moved-boards">
          {boards.map((board) => (
            <li key={board.newest.item.id}>
              <Board {...board} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function Board({ newest, leader, before, runs }: MovedBoard): ReactNode {
  const { package: name, version, configHash: config, sample: examples, pushedAt } = newest.item;
  return (
    <article className="package-line">
      <h3>
        <NameLink href={boardPath(name, { version, config, examples })}>{name}</NameLink>
      </h3>
      <p>
        <Entry run={leader.item} /> {leader.isTied ? "leads, tied" : "leads"}
        {before !== undefined && before.id !== leader.item.id && (
          <>
            ; before, <Entry run={before} />
          </>
        )}
        {newest.item.id !== leader.item.id && (
          <>
            . New: <Entry run={newest.item} />, rank {newest.rank} of {count(runs)}
          </>
        )}
      </p>
      <p className="package-facts">
        <span>{version}</span>
        <span>{counted(runs, "ranked run")}</span>
        <span>{dayOf(pushedAt)}</span>
      </p>
    </article>
  );
}

/** A model and its reward. */
function Entry({ run: { model, mean } }: { readonly run: RankedRun }): ReactNode {
  return (
    <>
      <a href={modelPath(model)}>{model}</a> <strong>{score(mean)}</strong>
    </>
  );
}

/** The newest run of a model in a short list. */
export function ModelLine({ run }: { readonly run: RankedRun }): ReactNode {
  return (
    <article className="package-line">
      <h3>
        <NameLink href={modelPath(run.model)}>{run.model}</NameLink>
      </h3>
      <p>
        <strong>{score(run.mean)}</strong> on {run.package}
      </p>
      <p className="package-facts">
        <span>{run.owner}</span>
        <span>{dayOf(run.pushedAt)}</span>
      </p>
    </article>
  );
}
