import type { routes, SearchResults } from "@envs/hub-client";
import type * as z from "zod";

import type { Database } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { facetsOf } from "./facets.ts";
import { findPackages } from "./find-packages.ts";
import { cacheAnonymousSearches, type SearchQuery } from "./search-query.ts";
import { summariesOf } from "./summaries.ts";

/** The parameters of a search in the API, parsed. */
export type SearchParameters = z.output<(typeof routes.findPackages)["query"]>;

/** Searches packages for the API and for pages. Caches the results for anonymous callers. */
export function searchOf(
  hub: Hub,
): (
  parameters: SearchParameters,
  caller: Pick<SearchQuery, "identity" | "traits">,
) => Promise<SearchResults> {
  const search = cacheAnonymousSearches(hub, (query) => resultsOf(hub.database, query));
  return async ({ q, kind, tag, tool, score, owner, ...parameters }, { identity, traits }) => {
    const { need, protocol, license, evaluated, sort, page, perPage } = parameters;
    const results = await search({
      identity,
      text: q,
      traits: { ...traits, ...(evaluated === "true" && { evaluated: true }) },
      kinds: kind,
      owners: owner,
      tags: tag,
      tools: tool,
      scores: score,
      needs: need,
      protocols: protocol,
      licenses: license,
      sort,
      offset: (page - 1) * perPage,
      limit: perPage,
      sampleFacets: true,
    });
    return { ...results, page, perPage };
  };
}

async function resultsOf(
  database: Database,
  query: SearchQuery,
): Promise<Pick<SearchResults, "items" | "total" | "isApproximate" | "facets">> {
  const { ids, total, isApproximate, facetSample } = await findPackages(database, query);
  return {
    items: await summariesOf(database, ids),
    total,
    isApproximate,
    facets: facetsOf(facetSample),
  };
}
