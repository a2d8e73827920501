import type { SearchResults } from "@envs/hub-client";
import { type KeyboardEvent, type ReactNode, useSyncExternalStore } from "react";

import { defineIsland } from "../island/define-island.ts";
import { Filters } from "./filters.tsx";
import { Results } from "./results.tsx";
import { type SearchState, type Sort, sortLabels, useSearch } from "./search-state.ts";

export { searchStateOf, searchQueryOf, type SearchState } from "./search-state.ts";

interface SearchProps {
  readonly state: SearchState;
  readonly results: SearchResults;
}

/** The search page. Without JavaScript, a form opens the same address. */
export const searchIsland = defineIsland("search", ({ state, results }: SearchProps) => {
  const search = useSearch(state, results);
  const isHydrated = useIsHydrated();
  return (
    <form
      className="search-page"
      action="/search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        search.update({});
      }}
      onKeyDown={moveThroughResults}
    >
      <div className="search-box">
        <label htmlFor="search-words" className="unseen">
          Search environments
        </label>
        <input
          id="search-words"
          name="q"
          type="search"
          value={search.state.q}
          onChange={({ target }) => search.update({ q: target.value }, { isTyping: true })}
          placeholder="Search by name, topic, tool or score"
          autoComplete="off"
          aria-keyshortcuts="/ ArrowDown"
        />
        {search.state.owner.map((owner) => (
          <input key={owner} type="hidden" name="owner" value={owner} />
        ))}
        <SortSelect value={search.state.sort} onChange={(sort) => search.update({ sort })} />
        {!isHydrated && <button>Search</button>}
      </div>
      <details className="filters">
        <summary>Filters</summary>
        <Filters search={search} />
      </details>
      <Results search={search} />
    </form>
  );
});

function SortSelect({
  value,
  onChange,
}: {
  readonly value: Sort;
  readonly onChange: (sort: Sort) => void;
}): ReactNode {
  return (
    <>
      <label htmlFor="search-sort" className="unseen">
        Sort by
      </label>
      <select
        id="search-sort"
        name="sort"
        value={value}
        onChange={({ target }) => onChange(target.value as Sort)}
      >
        {Object.entries(sortLabels).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </>
  );
}

/** The arrow keys move the focus from the search box to the results, and between them. */
function moveThroughResults(event: KeyboardEvent<HTMLFormElement>): void {
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
  const step = steps[event.key];
  if (step === undefined) return;
  const box = event.currentTarget.querySelector<HTMLElement>("#search-words");
  const links = event.currentTarget.querySelectorAll<HTMLElement>(".package-item h3 a");
  const stops = [box, ...links];
  const index = stops.indexOf(event.target as HTMLElement);
  const next = stops[index + step];
  if (index === -1 || next == null) return;
  event.preventDefault();
  next.focus();
}

/** False on the server and in the first render of the browser, whose markup must equal the server's. */
function useIsHydrated(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
