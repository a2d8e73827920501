import { routes, type SearchResults } from "@envs/hub-client";
import type { FastifyInstance } from "fastify";
import * as z from "zod";

import { identify } from "../identity/request/identity.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import { type ApiRequest, apiRoute } from "../platform/http/api-route.ts";
import { originOf } from "../platform/http/origin.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { findPackages } from "./find-packages.ts";
import { type NpmResult, npmResultsOf } from "./npm-results.ts";
import { searchOf } from "./search-packages.ts";
import { cacheAnonymousSearches, type SearchQuery, type Trait, traits } from "./search-query.ts";

/** Search in the hub's API, and `npm search`. */
export function searchRoutes(app: FastifyInstance, hub: Hub): void {
  const search = searchOf(hub);
  const respond = async (
    { query, request }: Pick<ApiRequest<typeof routes.findPackages>, "query" | "request">,
    traits: SearchQuery["traits"],
  ): Promise<SearchResults> => {
    const identity = await identify(hub, request);
    return await search(query, { identity, traits });
  };
  apiRoute(app, routes.findEnvironments, (apiRequest) =>
    respond(apiRequest, { environment: true }),
  );
  apiRoute(app, routes.findPackages, (apiRequest) => respond(apiRequest, {}));
  npmSearchRoute(app, hub);
}

/** A number in a URL. Clamps values out of range; defaults if it is missing or not a number. */
const clampedNumber = (min: number, max: number, defaultValue: number) =>
  z.coerce
    .number()
    .transform((value) => Math.trunc(Math.min(Math.max(value, min), max)))
    .catch(defaultValue);

const urlQuery = z.object({
  text: z.string().catch("").optional(),
  size: clampedNumber(0, 250, 20),
  from: clampedNumber(0, 100_000, 0),
});

/** `GET /-/v1/search` in npm's format. Like npm, it ignores the weights of quality, popularity and maintenance. */
function npmSearchRoute(app: FastifyInstance, hub: Hub): void {
  const search = cacheAnonymousSearches(hub, async (query) => {
    const { ids, total } = await findPackages(hub.database, query);
    return { total, results: await npmResultsOf(hub.database, ids) };
  });
  app.get("/-/v1/search", async (request) => {
    const { text, size, from } = urlQuery.parse(request.query);
    if (text === undefined)
      throw new HubError("invalid-request", {
        message: "The search has no text. Add the words to search for: /-/v1/search?text=game",
      });
    const { total, results } = await search({
      ...parseNpmQuery(text.slice(0, 1000).replaceAll(/\p{Cc}/gu, " ")),
      identity: await identify(hub, request),
      sort: "relevance",
      offset: from,
      limit: size,
    });
    const origin = originOf(hub.settings, request);
    return {
      objects: results.map((result, index) => npmObject(result, origin, from + index)),
      total,
      time: hub.clock().toISOString(),
    };
  });
}

/** The qualifiers of npm's syntax that filter by a list of values. */
const listQualifiers = new Map<string, "maintainers" | "scopes" | "keywords">([
  ["author", "maintainers"],
  ["maintainer", "maintainers"],
  ["scope", "scopes"],
  ["keywords", "keywords"],
]);

/** Parses the text of `npm search`: words, and qualifiers such as `scope:envs` or `not:deprecated`. */
export function parseNpmQuery(
  text: string,
): Pick<SearchQuery, "text" | "traits" | "maintainers" | "scopes" | "keywords"> {
  const words: string[] = [];
  const lists: Partial<Record<"maintainers" | "scopes" | "keywords", string[]>> = {};
  const requiredTraits: Partial<Record<Trait, boolean>> = {};
  for (const part of text.split(/\s+/)) {
    const [, qualifier = "", value = ""] = /^([a-z]+):(.+)$/.exec(part) ?? [];
    const list = listQualifiers.get(qualifier);
    const trait = traits.find((name) => name === value);
    if (list !== undefined) (lists[list] ??= []).push(...value.split(",").filter(Boolean));
    else if (trait !== undefined && /^(?:is|not)$/.test(qualifier))
      requiredTraits[trait] = qualifier === "is";
    else words.push(part);
  }
  return { text: words.join(" "), traits: requiredTraits, ...lists };
}

/** The score decreases with the position, so that clients that sort by score keep the hub's order. */
function npmObject(
  { package: { links, ...package_ }, detail, flags }: NpmResult,
  origin: string,
  position: number,
) {
  const score = 1 / (1 + position);
  const presentLinks = Object.entries(links).filter(([, url]) => url !== null);
  return {
    package: {
      ...package_,
      links: { npm: `${origin}/${package_.name}`, ...Object.fromEntries(presentLinks) },
    },
    score: { final: score, detail },
    searchScore: score,
    flags,
  };
}
