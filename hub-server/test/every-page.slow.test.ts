import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, expect, test } from "vitest";

import { createToken } from "../src/identity/tokens/tokens.ts";
import { type Browser, browser, plainText } from "./support/browser.ts";
import { type Chromium, startBrowser } from "./support/chromium.ts";
import { pageProblems } from "./support/page-problems.ts";
import { makePerson } from "./support/person.ts";
import { publishOrThrow } from "./support/publish.ts";
import { seedLeaderboard } from "./support/seed-leaderboard.ts";
import { type SeededPeople, seedPeople, stage } from "./support/seed-people.ts";
import { serviceUrl } from "./support/service-url.ts";
import { sharedHub } from "./support/shared-hub.ts";

/** Text that would run if a page put it into markup, an attribute or a script without escaping it. */
const hostile = `</script><script>alert(1)</script>"><img src=x onerror=alert(1)>'"javascript:alert(1)`;
// A hub looks for the site of the documents once, at its start.
beforeAll(async () => void (await serviceUrl("site")));
const server = sharedHub("server", { HUB_LIMITS: "off", HUB_REGISTRATION: "open" });
const pictures = process.env["ENVS_TEST_PICTURES"];
const timeout = 600_000;
const maxPages = 500;

let people: SeededPeople;
let chromium: Chromium;
let visitors: Readonly<Record<string, Browser>>;

beforeAll(async () => {
  people = await seedPeople(server);
  await seedLeaderboard(server, people.ada, { examples: 4 });
  await publishOrThrow(server, "@ada/tiny-ladder", {
    as: people.ada,
    version: "0.1.0",
    access: "public",
    packageJson: { keywords: ["llm-environment-model"] },
  });
  await seedHostileTexts();
  chromium = await startBrowser();
  const root = await makePerson(server, "root-admin", { isAdmin: true });
  visitors = {
    stranger: browser(server),
    member: await people.grace.signIn(),
    owner: await people.ada.signIn(),
    administrator: await root.signIn(),
  };
}, timeout);
afterAll(() => chromium.close());

/** Puts hostile text into every field that a user controls and a page shows. */
async function seedHostileTexts(): Promise<void> {
  const { ada, grace, publicPackage } = people;
  const { database } = server.hub;
  await database
    .updateTable("users")
    .set({ full_name: hostile.slice(0, 100) })
    .execute();
  for (const { id } of [ada, grace])
    await createToken(database, { userId: id, name: hostile, now: server.hub.clock() });
  const packageJson = {
    description: hostile,
    keywords: [hostile],
    license: hostile,
    homepage: "javascript:alert(1)",
    author: hostile,
  };
  const readme = `# ${hostile}\n\n[link](javascript:alert(1)) ![](x"onerror=alert(1))\n\n${hostile}\n`;
  await publishOrThrow(server, "@word-games/hostile", {
    as: ada,
    access: "public",
    packageJson,
    files: { "README.md": readme, "index.js": hostile },
  });
  await stage(server, "@word-games/hostile", { as: grace, version: "2.0.0", packageJson });
  const advisory = { title: hostile, overview: hostile, severity: "low", vulnerableVersions: "*" };
  const path = `/api/v1/packages/${encodeURIComponent(publicPackage)}/advisories`;
  await server.request(path, { method: "POST", as: ada, body: advisory });
  await database
    .updateTable("versions")
    .set({ deprecated: hostile })
    .where("version", "=", "1.0.0")
    .execute();
  await database
    .updateTable("runs")
    .set({ model: `${hostile}/${"long".repeat(80)}` })
    .where("model", "=", "policy:random")
    .execute();
  await ada.signIn();
  await database.updateTable("sessions").set({ client: hostile }).execute();
}

/** The documentation is a site with its own tests, and a clone has it only once it is built. */
const hasDocuments = (): boolean =>
  existsSync(
    fileURLToPath(new URL("dist/index.html", import.meta.resolve("@envs/docs/package.json"))),
  );
const isDocument = (path: string): boolean => path === "/docs" || path.startsWith("/docs/");

interface Crawl {
  /** The content of each page without the header and footer. */
  readonly pages: ReadonlyMap<string, string>;
  readonly broken: readonly string[];
  /** The pages that mention a private package, a team or an address. */
  readonly leaks: readonly string[];
}

const crawls = new Map<string, Promise<Crawl>>();

/** The pages that a visitor can reach, and the links that do not work. Each visitor follows them once. */
function crawlOf(name: string): Promise<Crawl> {
  const result = crawls.get(name) ?? crawl(visitors[name]!);
  crawls.set(name, result);
  return result;
}

/** Follows every link of the hub's pages. */
async function crawl(tab: Browser): Promise<Crawl> {
  const starts = [
    "/",
    "/settings",
    "/sitemap.xml",
    "/feed.atom",
    "/user/ada",
    `/org/${people.organisation}`,
  ];
  const packages = [people.publicPackage, people.privatePackage, "@word-games/hostile"];
  const found = new Map(starts.map((path) => [path, "the test"]));
  for (const name of packages)
    if ((await tab.open(`/package/${name}`)).status < 400)
      found.set(`/package/${name}`, "the test");
  const pages = new Map<string, string>();
  const broken: string[] = [];
  const leaks: string[] = [];
  for (const [path, from] of found) {
    const { status, html, headers } = await tab.open(path);
    // The seeded environment has no tarball.
    if (path.startsWith("/@ada/word-ladder/-/")) continue;
    if (status >= 400) broken.push(`${status} ${path}, linked from ${from}`);
    if (isDocument(path)) continue;
    if (/unreleased-riddles|reviewers|@example\.com/.test(html)) leaks.push(path);
    if (!(headers.get("content-type") ?? "").startsWith("text/html")) continue;
    pages.set(path, /<main[\s\S]*<\/main>/.exec(html)?.[0] ?? path);
    for (const [, href = ""] of html.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      const { origin, pathname, search } = new URL(plainText(href), `${server.url}${path}`);
      if (isDocument(pathname) && !hasDocuments()) continue;
      // A run has a page for each of many rollouts.
      if (/\/rollouts\/\d\d/.test(pathname)) continue;
      if (origin === server.url && found.size < maxPages && !found.has(`${pathname}${search}`))
        found.set(`${pathname}${search}`, path);
    }
  }
  return { pages, broken, leaks };
}

/** One page of each kind: pages of a kind differ only in the package or user that they show. */
function kindsOf(pages: Iterable<string>): readonly string[] {
  const kinds = new Map<string, string>();
  for (const path of pages) {
    const kind = path
      .replace(/\?.*/, "")
      .replace(/\/@[^/]+\/[^/]+/, "/@")
      .replace(
        /\d+\.\d+\.\d+.*|[0-9a-f-]{36}|(?<=\/user\/|\/org\/|\/team\/|\/run\/|\/models\/|\/rollouts\/)[^/]+/g,
        "_",
      );
    // The last page of a kind comes from the package with hostile texts, if there is one.
    if (!kinds.has(kind) || path.includes("hostile")) kinds.set(kind, path);
  }
  return [...kinds.values()];
}

test.for(["stranger", "member", "owner", "administrator"])(
  "every link that a %s can follow works",
  { timeout },
  async (name) => {
    const { pages, broken } = await crawlOf(name);
    expect(broken).toEqual([]);
    expect(pages.size).toBeGreaterThan(10);
  },
);

test(
  "no page that a stranger can reach mentions a private package, a team or an address",
  async () => {
    expect((await crawlOf("stranger")).leaks).toEqual([]);
    // The same search finds them on the pages of an owner.
    expect((await crawlOf("owner")).leaks.length).toBeGreaterThan(3);
  },
  timeout,
);

test.for(["stranger", "owner"])(
  "every kind of page that a %s sees is safe, accessible, and as wide as the window",
  { timeout },
  async (name) => {
    const { cookies } = visitors[name]!;
    const { pages } = await crawlOf(name);
    const others = name === "owner" ? (await crawlOf("stranger")).pages : undefined;
    const problems: Record<string, readonly string[]> = {};
    for (const path of kindsOf(pages.keys())) {
      // The owner sees what the stranger sees.
      if (others?.get(path) === pages.get(path)) continue;
      const picture =
        pictures && `${pictures}/${name}${path.replaceAll(/[^\w.-]/g, "-").slice(0, 150)}`;
      const options = { cookies: name === "stranger" ? undefined : cookies, pictures: picture };
      const faults = await pageProblems(chromium, `${server.url}${path}`, options);
      if (faults.length > 0) problems[path] = faults;
    }
    expect(problems).toEqual({});
  },
);
