import { beforeAll, expect, test } from "vitest";

import { anyDatabase } from "./support/hub.ts";
import { seedCatalogue } from "./support/seed-catalogue.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off" });
const ada = sharedUser(server, "ada");

beforeAll(async () => {
  await seedCatalogue(server.hub, ada);
  await seedEnvironment(server.hub, ada, {
    bare: "markup",
    manifest: null,
    packageJson: { description: `Less < more & "quotes" ]]>\u0007` },
    versions: ["1.0.0", "1.1.0"],
  });
});

const text = async (path: string) => (await fetch(`${server.url}${path}`)).text();

test("the feed lists new public versions, and links to their pages", async () => {
  const response = await fetch(`${server.url}/feed.atom`);
  const feed = await response.text();
  expect(response.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
  expect(feed).toContain(`<id>${server.url}/package/@ada/markup/v/1.1.0</id>`);
  expect(feed).not.toContain("secret-plan");
});

test("the feed escapes descriptions and drops characters that XML forbids", async () => {
  const feed = await text("/feed.atom");
  expect(feed).not.toContain("\u0007");
  expect(feed).toContain('Less &lt; more &amp; "quotes" ]]&gt; ');
});

test("the feed of a package lists its versions, and is missing for a private one", async () => {
  const feed = await text("/package/@ada/markup/feed.atom");
  expect(feed.match(/<entry>/g)).toHaveLength(2);
  expect((await fetch(`${server.url}/package/@ada/secret-plan/feed.atom`)).status).toBe(404);
});

test("a reader that has the feed already receives 304", async () => {
  const first = await fetch(`${server.url}/feed.atom`);
  const again = await fetch(`${server.url}/feed.atom`, {
    headers: { "if-none-match": first.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
});

test("the sitemap lists public packages only, and robots.txt names it", async () => {
  const sitemap = await text("/sitemap.xml");
  expect(sitemap).toContain(`<loc>${server.url}/package/@ada/tictactoe</loc>`);
  expect(sitemap).not.toContain("secret-plan");
  expect(await text("/robots.txt")).toContain(`Sitemap: ${server.url}/sitemap.xml`);
});

test("the status page shows which services work", async () => {
  const response = await fetch(`${server.url}/status`);
  const page = await response.text();
  expect([response.status, page.includes("<h1>Everything works</h1>")]).toEqual([200, true]);
});
