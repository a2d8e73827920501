import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { readablePackage } from "../../access/permissions/require-package.ts";
import { userOf } from "../../identity/sessions/visitor.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sendCached } from "../layout/cached-response.ts";
import { atomFeed } from "./atom.ts";
import { newVersions } from "./new-versions.ts";
import { robots, sitemap } from "./sitemap.ts";

const atom = "application/atom+xml; charset=utf-8";
const text = "text/plain; charset=utf-8";

/** Serves what feed readers and search engines read: Atom feeds, the sitemap, robots.txt. */
export function feedRoutes(app: FastifyInstance, hub: Hub): void {
  const { database } = hub;

  app.get("/feed.atom", (request, reply) =>
    sendCached(hub, request, reply, {
      type: atom,
      make: async () =>
        atomFeed(await newVersions(database), {
          title: "New versions on envs hub",
          origin: request.publicOrigin,
          path: "/feed.atom",
          pagePath: "/search?sort=recent",
        }),
    }),
  );

  packageRoute(app, "GET /package/:package/feed.atom", (name, request, reply) =>
    sendPackageFeed(name, request, reply),
  );

  app.get("/sitemap.xml", (request, reply) =>
    sendCached(hub, request, reply, {
      type: "application/xml; charset=utf-8",
      make: () => sitemap(database, request.publicOrigin),
    }),
  );
  app.get("/robots.txt", (request, reply) => reply.type(text).send(robots(request.publicOrigin)));

  async function sendPackageFeed(
    name: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const path = `/package/${name}/feed.atom`;
    const make = async (): Promise<string> => {
      const { id } = await readablePackage(hub, request, name);
      return atomFeed(await newVersions(database, id), {
        title: `Versions of ${name}`,
        origin: request.publicOrigin,
        path,
        pagePath: `/package/${name}/versions`,
      });
    };
    if ((await userOf(hub, request, reply)) !== undefined)
      return reply.type(atom).send(await make());
    return await sendCached(hub, request, reply, { type: atom, make });
  }
}
