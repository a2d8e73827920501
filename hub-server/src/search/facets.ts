import type { SearchResults } from "@envs/hub-client";
import { type SelectQueryBuilder, sql } from "kysely";

import type { Database, Tables } from "../platform/database/tables.ts";
import { runsOf } from "./summaries.ts";

/** The values of a result that facets count. */
export type FacetValues = readonly [
  owner: string,
  kind: string | null,
  license: string | null,
  tags: readonly string[],
  tools: readonly string[],
  needs: readonly string[],
  protocols: readonly string[],
  evaluations: number,
];

const maxSampledResults = 1000;
const maxValuesPerFacet = 20;

/** Counts the values that results have in common, in descending order. */
export function facetsOf(results: readonly FacetValues[]): SearchResults["facets"] {
  return {
    owners: frequencies(results.map(([owner]) => owner)),
    kinds: frequencies(results.flatMap(([, kind]) => kind ?? [])),
    licenses: frequencies(results.flatMap(([, , license]) => license ?? [])),
    tags: frequencies(results.flatMap(([, , , tags]) => tags)),
    tools: frequencies(results.flatMap(([, , , , tools]) => tools)),
    needs: frequencies(results.flatMap(([, , , , , needs]) => needs)),
    protocols: frequencies(results.flatMap(([, , , , , , protocols]) => protocols)),
    evaluated: results.filter(([, , , , , , , evaluations]) => evaluations > 0).length,
  };
}

function frequencies(values: readonly string[]): SearchResults["facets"]["kinds"] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, maxValuesPerFacet);
}

/** Reads the sample as one JSON value, because decoding a thousand rows of arrays takes longer than the search. */
export async function sampleFacetValues(
  database: Database,
  matches: SelectQueryBuilder<Tables, "search_entries", Record<never, never>>,
): Promise<readonly FacetValues[]> {
  const rows = matches
    .limit(maxSampledResults)
    .select(["owner", "kind", "license", "tags", "tools", "needs", "protocols"])
    .select(runsOf("evaluation").as("evaluations"));
  const { sample } = await database
    .selectFrom(rows.as("sampled"))
    .select(
      sql<FacetValues[]>`json_agg(json_build_array(
        owner, kind, license, tags, tools, needs, protocols, evaluations))`.as("sample"),
    )
    .executeTakeFirstOrThrow();
  return sample;
}
