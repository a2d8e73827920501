import { LRUCache } from "lru-cache";

import type { Identity } from "../identity/request/identity.ts";
import type { Hub } from "../platform/hub/hub.ts";

/** A search for packages. An undefined list does not restrict the results. */
export interface SearchQuery {
  /** The caller; `undefined` for an anonymous one. Results contain only packages that the caller can read. */
  readonly identity: Identity | undefined;
  readonly text: string;
  /** Traits that a result must have (`true`) or must not have (`false`). */
  readonly traits?: Readonly<Partial<Record<Trait, boolean>>> | undefined;
  /** A result matches one of these. */
  readonly kinds?: readonly string[] | undefined;
  readonly owners?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly maintainers?: readonly string[] | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly protocols?: readonly string[] | undefined;
  readonly licenses?: readonly string[] | undefined;
  /** A result matches all of these. */
  readonly tags?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly scores?: readonly string[] | undefined;
  readonly needs?: readonly string[] | undefined;
  readonly sort: SearchSort;
  readonly offset: number;
  readonly limit: number;
  /** Whether to count the matches on all pages; otherwise, `total` counts those of this page. Default: true. */
  readonly countTotal?: boolean | undefined;
  /** Whether to sample the values that facets count. Default: false. */
  readonly sampleFacets?: boolean | undefined;
}

export type SearchSort = "relevance" | "downloads" | "stars" | "recent" | "name" | "trainings";

/** Properties that a package has or lacks. */
export const traits = ["environment", "deprecated", "archived", "unstable", "evaluated"] as const;
export type Trait = (typeof traits)[number];

/** The maximum page size that is cached: a larger page takes the memory of many small ones. */
const maxCachedLimit = 50;
const maxEntries = 1000;

/** Caches the results of anonymous searches, which often repeat, until a package changes. */
export function cacheAnonymousSearches<Results extends object>(
  hub: Hub,
  search: (query: SearchQuery) => Promise<Results>,
): (query: SearchQuery) => Promise<Results> {
  const cache = new LRUCache<string, Promise<Results>>({
    max: maxEntries,
    // Expires soon, because download counts change without an invalidation.
    ttl: 60_000,
    ttlResolution: 1000,
  });
  hub.onInvalidate(() => cache.clear());
  return (query) => {
    if (query.identity !== undefined || query.limit > maxCachedLimit) return search(query);
    const key = JSON.stringify(query);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const results = search(query);
    cache.set(key, results);
    results.catch(() => cache.delete(key));
    return results;
  };
}
