import { LRUCache } from "lru-cache";

import type { Hub } from "../platform/hub/hub.ts";
import type { SearchQuery } from "./search-query.ts";

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
