import type { ReactNode } from "react";

import { counted } from "../package-list/labels.ts";
import { PackageItem } from "../package-list/package-item.tsx";
import { hasFilters, type Search, searchQueryOf, type SearchState } from "./search-state.ts";

/** The number of results, the results of the page, and links to the other pages. */
export function Results({ search }: { readonly search: Search }): ReactNode {
  const { state, results, problem } = search;
  const { items, total, isApproximate } = results;
  return (
    <section aria-labelledby="results">
      <h2 id="results" className="unseen">
        Results
      </h2>
      <p className="result-count" role="status">
        {problem ?? counted(total, state.all ? "package" : "environment")}
        {problem === undefined && isApproximate && (
          <> with words like “{state.q}”, because none contains these</>
        )}
      </p>
      {state.q !== "" && (
        <p className="small">
          <a href={`/models?${new URLSearchParams({ q: state.q }).toString()}`}>
            Models with “{state.q}” in their name
          </a>
        </p>
      )}
      {items.length === 0 ? (
        <NoResults state={state} />
      ) : (
        <ol className="package-list">
          {items.map((item) => (
            <li key={item.name}>
              <PackageItem item={item} />
            </li>
          ))}
        </ol>
      )}
      <Pages search={search} />
    </section>
  );
}

function NoResults({ state }: { readonly state: SearchState }): ReactNode {
  const isFiltered = hasFilters(state);
  return (
    <div className="empty">
      <p>{state.q === "" ? "Nothing matches these filters." : `Nothing matches “${state.q}”.`}</p>
      <p>
        {isFiltered && (
          <>
            <a href={`/search${searchQueryOf({ ...withoutFilters, q: state.q })}`}>
              Remove the filters
            </a>
            {" · "}
          </>
        )}
        {!state.all && (
          <>
            <a href={`/search${searchQueryOf({ ...state, all: true, page: 1 })}`}>
              Search all packages
            </a>
            {" · "}
          </>
        )}
        <a href="/docs/guides/publish-an-environment">Publish an environment</a>
      </p>
    </div>
  );
}

const withoutFilters: SearchState = {
  q: "",
  kind: [],
  need: [],
  protocol: [],
  tag: [],
  tool: [],
  license: [],
  owner: [],
  evaluated: false,
  all: false,
  sort: "relevance",
  page: 1,
};

function Pages({ search: { state, results } }: { readonly search: Search }): ReactNode {
  const pages = Math.ceil(results.total / results.perPage);
  if (pages < 2) return null;
  const link = (page: number, label: string): ReactNode => (
    <a href={`/search${searchQueryOf({ ...state, page })}`}>{label}</a>
  );
  return (
    <nav className="pages" aria-label="Pages">
      {results.page > 1 && link(results.page - 1, "Previous")}
      <span className="quiet">
        Page {results.page} of {pages}
      </span>
      {results.page < pages && link(results.page + 1, "Next")}
    </nav>
  );
}
