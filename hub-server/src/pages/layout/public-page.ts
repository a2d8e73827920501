import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { userOf, type Visitor } from "../../identity/sessions/visitor.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sendCached } from "./cached-response.ts";
import type { PageContent } from "./frame.tsx";
import { renderPage, sendPage } from "./page.tsx";

/** The content of a page for a user, or for visitors who are not signed in, who all get the same. */
export type PublicContent<Route extends RouteParts> = (
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
