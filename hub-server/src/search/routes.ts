import { routes, type SearchResults } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";

import { identify } from "../identity/request/identity.ts";
import type { Database } from "../platform/database/connect.ts";
import { type ApiRequest, apiRoute } from "../platform/http/api-route.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { facetsOf } from "./facets.ts";
import { find } from "./find.ts";
import { npmSearchRoute } from "./npm-search.ts";
import { remembered } from "./remember.ts";
import { summariesOf } from "./summaries.ts";
import type { Wanted } from "./wanted.ts";

/** Finding packages: for people and their tools, and for `npm search`. */
export function searchRoutes(app: FastifyInstance, hub: Hub): void {
  const search = remembered(hub, (wanted) => resultsOf(hub.database, wanted));
  const answer = async (
    { query, request }: Pick<ApiRequest<typeof routes.findPackages>, "query" | "request">,
    is: NonNullable<Wanted["is"]>,
  ): Promise<SearchResults> => {
    const { q, kind, tag, tool, score, owner, sort, page, perPage } = query;
    const found = await search({
      identity: await identify(hub, request),
      text: q,
      is,
      kinds: kind,
      owners: owner,
      tags: tag,
      tools: tool,
      scores: score,
      sort,
      offset: (page - 1) * perPage,
      limit: perPage,
      sample: true,
    });
    return { ...found, page, perPage };
  };
  apiRoute(app, routes.findEnvironments, (asked) => answer(asked, { environment: true }));
  apiRoute(app, routes.findPackages, (asked) => answer(asked, {}));
  npmSearchRoute(app, hub);
}

async function resultsOf(
  database: Database,
  wanted: Wanted,
): Promise<Pick<SearchResults, "items" | "total" | "isApproximate" | "facets">> {
  const { ids, total, isApproximate, sample } = await find(database, wanted);
  return {
    items: await summariesOf(database, ids),
    total,
    isApproximate,
    facets: facetsOf(sample),
  };
}
