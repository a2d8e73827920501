import type { ReactNode } from "react";

import type { ListedModel } from "../../evaluations/models/list-models.ts";
import { count, modelPath } from "../evaluation/texts.ts";
import { Day, NameLink } from "../layout/elements.tsx";
import { number, Table } from "../layout/table.tsx";

/** The models that have been evaluated, with a search by name. */
export function ModelList({
  items,
  total,
  q,
  page,
  perPage,
}: {
  readonly items: readonly ListedModel[];
  readonly total: number;
  readonly q: string;
  readonly page: number;
  readonly perPage: number;
}): ReactNode {
  if (total === 0 && q === "" && page === 1) return <NoModels />;
  return (
    <>
      <form className="name-search">
        <label htmlFor="model-name" className="unseen">
          Name of the model
        </label>
        <input
          id="model-name"
          name="q"
          type="search"
          defaultValue={q}
          maxLength={200}
          placeholder="Name contains"
        />
        <button className="second">Search</button>
      </form>
      {items.length === 0 ? (
        <div className="empty">
          <p>No evaluated model has “{q}” in its name.</p>
          <p>
            <a href="/models">Show all models</a>
          </p>
        </div>
      ) : (
        <Table
          label="Models"
          className="run-table"
          headings={[
            "Model",
            number("Environments"),
            number("First or tied"),
            number("Runs"),
            number("Users"),
            "Last run",
          ]}
        >
          {items.map((item) => (
            <tr key={item.model}>
              <td>
                <NameLink href={modelPath(item.model)}>{item.model}</NameLink>
              </td>
              <td className="number">{count(item.environments)}</td>
              <td className="number">{item.firsts === 0 ? "–" : count(item.firsts)}</td>
              <td className="number">{count(item.runs)}</td>
              <td className="number">{count(item.users)}</td>
              <td>
                <Day date={item.latest} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pages {...{ q, page }} pages={Math.ceil(total / perPage)} />
      <p className="small quiet">
        First or tied counts the leaderboards with several models on which no run’s interval is
        above this model’s. Only declared runs that the hub did not refute count there.
      </p>
    </>
  );
}

function Pages({
  q,
  page,
  pages,
}: {
  readonly q: string;
  readonly page: number;
  readonly pages: number;
}): ReactNode {
  if (pages < 2) return null;
  const link = (to: number, label: string): ReactNode => (
    <a href={`/models?${new URLSearchParams({ q, page: String(to) }).toString()}`}>{label}</a>
  );
  return (
    <nav className="pages" aria-label="Pages">
      {page > 1 && link(page - 1, "Previous")}
      <span className="quiet">
        Page {page} of {pages}
      </span>
      {page < pages && link(page + 1, "Next")}
    </nav>
  );
}

function NoModels(): ReactNode {
  return (
    <div className="empty">
      <p>No model has been evaluated on this hub.</p>
      <p>
        Install an environment, then push the first run:{" "}
        <code>envs eval &lt;environment&gt; -m &lt;model&gt; --push</code>
      </p>
    </div>
  );
}
