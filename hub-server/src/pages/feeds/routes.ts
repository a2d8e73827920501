import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { readablePackage } from "../../access/permissions/require-package.ts";
import { userOf } from "../../identity/sessions/visitor.ts";
import type { Database } from "../../platform/database/tables.ts";
import { packageRoute } from "../../platform/http/package-route.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { sendCached } from "../layout/public-page.ts";
import { atomFeed } from "./atom.ts";
import { newVersions } from "./new-versions.ts";

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

/** The maximum number of addresses by the protocol (sitemaps.org). */
const maxAddresses = 50_000;

/** The sitemap of the public packages, the most downloaded first. */
async function sitemap(database: Database, origin: string): Promise<string> {
  const packages = await database
    .selectFrom("search_entries")
    .innerJoin("packages", "packages.id", "search_entries.package_id")
    .where("search_entries.is_public", "=", true)
    .orderBy("search_entries.downloads", "desc")
    .orderBy("search_entries.name")
    .limit(maxAddresses - 3)
    .select(["packages.name", "packages.modified_at"])
    .execute();
  const entries = packages.map(
    ({ name, modified_at }) =>
      `<url><loc>${escaped(`${origin}/package/${name}`)}</loc><lastmod>${modified_at.toISOString()}</lastmod></url>`,
  );
  const start = ["/", "/search", "/models"].map(
    (path) => `<url><loc>${escaped(`${origin}${path}`)}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${[...start, ...entries].join("\n")}
</urlset>
`;
}

/** Keeps crawlers from searches, which have infinitely many addresses, and from addresses that are not pages. */
function robots(origin: string): string {
  return `User-agent: *
Disallow: /search?
Disallow: /search/results
Disallow: /settings
Disallow: /report
Disallow: /-/
Disallow: /api/v1/

Sitemap: ${origin}/sitemap.xml
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
