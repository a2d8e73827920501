import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { userOf, type Visitor } from "../../identity/sessions/visitor.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sendRepresentation } from "../../registry/responses/conditional-response.ts";
import {
  negotiate,
  type Representation,
  representBytes,
} from "../../registry/responses/representation.ts";
import { type ResponseCache, responseCache } from "../../registry/responses/response-cache.ts";
import type { PageContent } from "./frame.tsx";
import { renderPage, sendPage } from "./page.tsx";

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

/** The content of a page for a user, or for visitors who are not signed in, who all get the same. */
type PublicContent<Route extends RouteParts> = (
  request: FastifyRequest<Route>,
  visitor: Visitor | undefined,
) => Promise<PageContent>;

interface RouteParts {
  readonly Params?: unknown;
  readonly Querystring?: unknown;
}

/** Registers a page that needs no session. Visitors who are not signed in receive a cached copy, until a package changes. */
export function publicPage<Route extends RouteParts = RouteParts>(
  app: FastifyInstance,
  hub: Hub,
  path: string,
  content: PublicContent<Route>,
): void {
  app.get(path, (request: FastifyRequest, reply) =>
    servePage(hub, request, reply, (visitor) => content(request as FastifyRequest<Route>, visitor)),
  );
}

/** Sends a page that needs no session: to signed-in users their own, to others a cached copy. */
export async function servePage(
  hub: Hub,
  request: FastifyRequest,
  reply: FastifyReply,
  content: (visitor: Visitor | undefined) => Promise<PageContent>,
): Promise<FastifyReply> {
  const visitor = await userOf(hub, request, reply);
  if (visitor !== undefined) return sendPage(reply, visitor, await content(visitor));
  return await sendCached(hub, request, reply, {
    type: "text/html; charset=utf-8",
    make: async () => renderPage(await content(visitor), { visitor, origin: request.publicOrigin }),
  });
}
