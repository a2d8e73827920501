import type { SearchResults } from "@envs/hub-client";

import type { Narrowing } from "./find.ts";

const shown = 20;

/** What results have in common, the most frequent first. */
export function facetsOf(results: readonly Narrowing[]): SearchResults["facets"] {
  return {
    kinds: frequencies(results.flatMap(([, kind]) => kind ?? [])),
    tags: frequencies(results.flatMap(([, , tags]) => tags)),
    tools: frequencies(results.flatMap(([, , , tools]) => tools)),
    owners: frequencies(results.map(([owner]) => owner)),
  };
}

function frequencies(values: readonly string[]): SearchResults["facets"]["kinds"] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, shown);
}
