import { routes, type SearchResults } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { identify } from "../identity/request/identity.ts";
import type { Database } from "../platform/database/connect.ts";
import { type ApiRequest, apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { cacheAnonymousSearches } from "./anonymous-cache.ts";
import { facetsOf } from "./facets.ts";
import { findPackages } from "./find-packages.ts";
import { npmSearchRoute } from "./npm-search.ts";
import type { SearchQuery } from "./search-query.ts";
import { summariesOf } from "./summaries.ts";

/** Search in the hub's API, and `npm search`. */
export function searchRoutes(app: FastifyInstance, hub: Hub): void {
  const search = cacheAnonymousSearches(hub, (query) => resultsOf(hub.database, query));
  const respond = async (
    { query, request }: Pick<ApiRequest<typeof routes.findPackages>, "query" | "request">,
    traits: SearchQuery["traits"],
  ): Promise<SearchResults> => {
    const { q, kind, tag, tool, score, owner, sort, page, perPage } = query;
    const results = await search({
      identity: await identify(hub, request),
      text: q,
      traits,
      kinds: kind,
      owners: owner,
      tags: tag,
      tools: tool,
      scores: score,
      sort,
      offset: (page - 1) * perPage,
      limit: perPage,
      sampleFacets: true,
    });
    return { ...results, page, perPage };
  };
  apiRoute(app, routes.findEnvironments, (apiRequest) =>
    respond(apiRequest, { environment: true }),
  );
  apiRoute(app, routes.findPackages, (apiRequest) => respond(apiRequest, {}));
  npmSearchRoute(app, hub);
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
