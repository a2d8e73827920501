import type { FastifyReply, FastifyRequest } from "fastify";

import type { Hub } from "../../platform/hub/hub.ts";
import { sendRepresentation } from "../../registry/responses/conditional-response.ts";
import { negotiate } from "../../registry/responses/negotiation.ts";
import { representBytes, type Representation } from "../../registry/responses/representation.ts";
import { type ResponseCache, responseCache } from "../../registry/responses/response-cache.ts";

const maxBytes = 32 * 2 ** 20;
/** The maximum length of a cached URL; few longer ones repeat. */
const maxUrlLength = 500;

/** The response to visitors without a session, ready to send. */
const caches = new WeakMap<Hub, ResponseCache<Representation>>();

/**
 * Sends the same response to every visitor who is not signed in: cached bytes, or 304. `make` must not depend on a session or a
 * token. Any change of a package drops all cached responses, because one page may show many packages.
 */
export async function sendCached(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  { type, make }: { readonly type: string; readonly make: () => Promise<string | Buffer> },
): Promise<FastifyReply> {
  const { encoding } = negotiate(request.headers);
  const compute = async (): Promise<Representation> => {
    const bytes = Buffer.from(await make());
    const vary = "Cookie, Accept-Encoding";
    const parts = await representBytes({ bytes, type, encoding, vary });
    // Clients revalidate pages by the tag only.
    return { ...parts, isPublic: true, modified: Number.POSITIVE_INFINITY };
  };
  const { url, publicOrigin } = request;
  if (url.length > maxUrlLength) return sendRepresentation(request, reply, await compute());
  const key = { name: url, variant: `${encoding} ${publicOrigin}` };
  return sendRepresentation(request, reply, await cacheOf(hub).get(key, compute));
}

function cacheOf(hub: Hub): ResponseCache<Representation> {
  const existing = caches.get(hub);
  if (existing !== undefined) return existing;
  const cache = responseCache<Representation>({ maxBytes, bytesOf: ({ body }) => body.length });
  hub.onInvalidate(() => cache.invalidate(undefined));
  caches.set(hub, cache);
  return cache;
}
