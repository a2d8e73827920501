import type { SearchResults } from "@envs/hub-client";
import { useEffect, useRef, useState } from "react";

import { searchQueryOf, type SearchState, searchStateOf } from "./search-state.ts";

/** The pause after which typed words are searched for. */
const typingPauseMs = 200;

export interface Search {
  readonly state: SearchState;
  readonly results: SearchResults;
  /** The reason why the results on the page are outdated. */
  readonly problem: string | undefined;
  /** Changes the search and the address. While a user types, the address replaces the previous one in the history. */
  readonly update: (change: Partial<SearchState>, options?: { readonly isTyping: boolean }) => void;
}

/** Keeps the results and the address equal to the choices of the user. */
export function useSearch(initialState: SearchState, initialResults: SearchResults): Search {
  const [state, setState] = useState(initialState);
  const [results, setResults] = useState(initialResults);
  const [problem, setProblem] = useState<string>();
  const request = useRef<AbortController>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const load = async (next: SearchState): Promise<void> => {
    clearTimeout(timer.current);
    request.current?.abort();
    const { signal } = (request.current = new AbortController());
    try {
      const response = await fetch(`/search/results${searchQueryOf(next)}`, { signal });
      const body = (await response.json()) as SearchResults & { readonly error?: string };
      if (signal.aborted) return;
      setProblem(response.ok ? undefined : (body.error ?? "The hub did not answer the search."));
      if (response.ok) setResults(body);
    } catch {
      if (!signal.aborted) setProblem("The hub did not answer the search. Check your connection.");
    }
  };

  useEffect(() => {
    const onBack = (): void => {
      const previous = searchStateOf(new URLSearchParams(location.search));
      setState(previous);
      void load(previous);
    };
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);

  return {
    state,
    results,
    problem,
    update(change, { isTyping } = { isTyping: false }) {
      const next = { ...state, page: 1, ...change };
      setState(next);
      const address = `/search${searchQueryOf(next)}`;
      if (!isTyping) {
        history.pushState(null, "", address);
        void load(next);
        return;
      }
      history.replaceState(null, "", address);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void load(next), typingPauseMs);
    },
  };
}
