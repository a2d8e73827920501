import { LRUCache } from "lru-cache";

/** Caches responses by package, and computes concurrent requests for the same response once. */
export interface ResponseCache<Response> {
  /** A cached response; `undefined` if it is missing or still being computed. */
  readonly peek: (name: string, variant: string) => Response | undefined;
  /** The cached response, or the result of a pending or new call of `compute`. */
  readonly get: (key: ResponseKey, compute: () => Promise<Response>) => Promise<Response>;
  /** Drops the responses of a package; `undefined` drops all. */
  readonly invalidate: (name: string | undefined) => void;
}

export interface ResponseKey {
  /** The package. */
  readonly name: string;
  /** Identifies the response among the responses of the package. */
  readonly variant: string;
}

/**
 * The responses of one package. Invalidation removes the whole object from the cache. A response that is being computed
 * at that moment still reaches the requests that wait for it, but is stored in a map that the cache no longer reads.
 */
interface PackageResponses<Response> {
  readonly responses: Map<string, Response>;
  readonly pending: Map<string, Promise<Response>>;
  readonly bytes: number;
}

/** Estimated memory of a cache entry besides its body. */
const overheadBytes = 500;

/** Creates a cache that evicts the least recently used packages. */
export function responseCache<Response>({
  maxBytes,
  bytesOf,
}: {
  readonly maxBytes: number;
  readonly bytesOf: (response: Response) => number;
}): ResponseCache<Response> {
  const packages = new LRUCache<string, PackageResponses<Response>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes + overheadBytes,
    // A replica whose database connection breaks unnoticed misses invalidations: it serves stale responses for a minute.
    ttl: 60_000,
    ttlResolution: 1000,
  });

  const entryOf = (name: string): PackageResponses<Response> => {
    const cached = packages.get(name);
    if (cached !== undefined) return cached;
    const entry = { responses: new Map(), pending: new Map(), bytes: 0 };
    packages.set(name, entry);
    return entry;
  };

  const store = (
    { responses }: PackageResponses<Response>,
    { name, variant }: ResponseKey,
    response: Response,
  ): void => {
    const current = packages.peek(name);
    if (current?.responses !== responses) return;
    responses.set(variant, response);
    const bytes = current.bytes + bytesOf(response) + overheadBytes;
    packages.set(name, { ...current, bytes }, { noUpdateTTL: true });
  };

  return {
    peek: (name, variant) => packages.get(name)?.responses.get(variant),

    async get(key, compute) {
      const entry = entryOf(key.name);
      const { responses, pending } = entry;
      const cached = responses.get(key.variant) ?? pending.get(key.variant);
      if (cached !== undefined) return await cached;
      const computation = compute();
      pending.set(key.variant, computation);
      try {
        const response = await computation;
        store(entry, key, response);
        return response;
      } finally {
        pending.delete(key.variant);
      }
    },

    invalidate: (name) => {
      if (name === undefined) packages.clear();
      else packages.delete(name);
    },
  };
}
