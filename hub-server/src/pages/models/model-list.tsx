import type { ReactNode } from "react";

import type { ListedModel, ModelKind } from "../../evaluations/models/list-models.ts";
import { count, modelPath } from "../evaluation/texts.ts";
import { Day, NameLink } from "../layout/elements.tsx";
import { number, Table } from "../layout/table.tsx";

/** The models or the policies that have been evaluated, with a search by name. */
export function ModelList({
  kind,
  items,
  total,
  q,
  page,
  perPage,
}: {
  readonly kind: ModelKind;
  readonly items: readonly ListedModel[];
  readonly total: number;
  readonly q: string;
  readonly page: number;
  readonly perPage: number;
}): ReactNode {
  const isEmpty = total === 0 && q === "" && page === 1;
  if (isEmpty && kind === "model") return <NoModels />;
  return (
    <>
      <Kinds kind={kind} />
      <form className="name-search">
        <label htmlFor="model-name" className="unseen">
          Name of the model
        </label>
        {kind === "policy" && <input type="hidden" name="kind" value={kind} />}
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
          <p>
            {isEmpty
              ? "No policy has been evaluated on this hub."
              : `No evaluated ${kind} has “${q}” in its name.`}
          </p>
          <p>
            <a href={kind === "model" || isEmpty ? "/models" : "/models?kind=policy"}>
              {kind === "model" || isEmpty ? "Show all models" : "Show all policies"}
            </a>
          </p>
        </div>
      ) : (
        <Table
          label={kind === "model" ? "Models" : "Policies"}
          className="run-table stacked"
          headings={[
            kind === "model" ? "Model" : "Policy",
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
      <Pages {...{ kind, q, page }} pages={Math.ceil(total / perPage)} />
      <p className="small quiet">
        First or tied counts the leaderboards with several models on which no run’s interval is
        above this one’s. Only declared runs that the hub did not refute count there.
      </p>
    </>
  );
}

/** Links to the models and to the policies, which would stand above all models. */
function Kinds({ kind }: { readonly kind: ModelKind }): ReactNode {
  const link = (to: ModelKind, href: string, label: string): ReactNode => (
    <li>
      <a href={href} aria-current={to === kind ? "page" : undefined}>
        {label}
      </a>
    </li>
  );
  return (
    <>
      <nav className="kinds" aria-label="Kinds">
        <ul>
          {link("model", "/models", "Models")}
          {link("policy", "/models?kind=policy", "Policies")}
        </ul>
      </nav>
      {kind === "policy" && (
        <p className="quiet">
          A policy is code of an environment that plays without a model, such as the perfect or the
          random player. A policy of the same name in another environment is other code.
        </p>
      )}
    </>
  );
}

function Pages({
  kind,
  q,
  page,
  pages,
}: {
  readonly kind: ModelKind;
  readonly q: string;
  readonly page: number;
  readonly pages: number;
}): ReactNode {
  if (pages < 2) return null;
  const link = (to: number, label: string): ReactNode => (
    <a href={`/models?${new URLSearchParams({ kind, q, page: String(to) }).toString()}`}>{label}</a>
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
