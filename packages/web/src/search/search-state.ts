import type { SearchResults } from "@envs/hub-client";
import { useEffect, useRef, useState } from "react";

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

/** The parameters of the search page that list values, in the order of its filters. */
const listNames = ["kind", "need", "protocol", "tag", "tool", "license", "owner"] as const;
export type ListName = (typeof listNames)[number];

/** The sort orders and their labels. The first is the default. */
export const sortLabels = {
  relevance: "Best match",
  downloads: "Most installed",
  trainings: "Trained on most",
  stars: "Most starred",
  recent: "Newest",
  name: "Name",
} as const;
export type Sort = keyof typeof sortLabels;

/** The query, filters and page in the address of the search page. */
export interface SearchState extends Readonly<Record<ListName, readonly string[]>> {
  readonly q: string;
  readonly evaluated: boolean;
  /** Whether to search packages that are not environments, too. */
  readonly all: boolean;
  readonly sort: Sort;
  readonly page: number;
}

const maxTextLength = 200;
const maxValueLength = 100;
const maxValues = 10;
const maxPage = 1000;

/** Reads the address of the search page. Ignores invalid parameters, since people and other sites write addresses. */
export function searchStateOf(parameters: URLSearchParams): SearchState {
  const listOf = (name: ListName): readonly string[] => {
    const values = parameters
      .getAll(name)
      .map((value) => printable(value).slice(0, maxValueLength));
    return [...new Set(values)].filter((value) => value !== "").slice(0, maxValues);
  };
  const lists = Object.fromEntries(listNames.map((name) => [name, listOf(name)]));
  const page = Number(parameters.get("page"));
  const sort = parameters.get("sort") ?? "";
  return {
    ...(lists as Record<ListName, readonly string[]>),
    q: printable(parameters.get("q") ?? "").slice(0, maxTextLength),
    evaluated: parameters.get("evaluated") === "true",
    all: parameters.get("all") === "true",
    sort: isSort(sort) ? sort : "relevance",
    page: Number.isInteger(page) && page > 1 && page <= maxPage ? page : 1,
  };
}

/** The query of an address with this state, with its question mark; empty for the state without filters. */
export function searchQueryOf(state: SearchState): string {
  const parameters = new URLSearchParams();
  if (state.q !== "") parameters.set("q", state.q);
  for (const name of listNames) for (const value of state[name]) parameters.append(name, value);
  if (state.evaluated) parameters.set("evaluated", "true");
  if (state.all) parameters.set("all", "true");
  if (state.sort !== "relevance") parameters.set("sort", state.sort);
  if (state.page > 1) parameters.set("page", String(state.page));
  const query = parameters.toString();
  return query === "" ? "" : `?${query}`;
}

/** Whether a filter narrows the results, apart from the words. */
export function hasFilters(state: SearchState): boolean {
  return state.evaluated || listNames.some((name) => state[name].length > 0);
}

function isSort(text: string): text is Sort {
  return Object.hasOwn(sortLabels, text);
}

function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ").trim();
}
