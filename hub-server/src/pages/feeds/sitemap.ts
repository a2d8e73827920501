import type { Database } from "../../platform/database/connect.ts";

/** The maximum number of addresses by the protocol (sitemaps.org). */
const maxAddresses = 50_000;

/** The sitemap of the public packages, the most downloaded first. */
export async function sitemap(database: Database, origin: string): Promise<string> {
  const packages = await database
    .selectFrom("search_entries")
    .innerJoin("packages", "packages.id", "search_entries.package_id")
    .where("search_entries.is_public", "=", true)
    .orderBy("search_entries.downloads", "desc")
    .orderBy("search_entries.name")
    .limit(maxAddresses - 2)
    .select(["packages.name", "packages.modified_at"])
    .execute();
  const entries = packages.map(
    ({ name, modified_at }) =>
      `<url><loc>${escaped(`${origin}/package/${name}`)}</loc><lastmod>${modified_at.toISOString()}</lastmod></url>`,
  );
  const start = ["/", "/search"].map(
    (path) => `<url><loc>${escaped(`${origin}${path}`)}</loc></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${[...start, ...entries].join("\n")}
</urlset>
`;
}

/** Keeps crawlers from searches, which have infinitely many addresses, and from addresses that are not pages. */
export function robots(origin: string): string {
  return `User-agent: *
Disallow: /search?
Disallow: /search/results
Disallow: /settings
Disallow: /-/
Disallow: /api/v1/

Sitemap: ${origin}/sitemap.xml
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
