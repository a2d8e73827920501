import { afterAll, beforeAll, expect, test } from "vitest";

import { type Chromium, startBrowser, type Tab } from "./support/chromium.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const ada = sharedUser(server, "ada");

/** Each sets `hostile` in a page that interprets it. */
const corpus: readonly string[] = [
  "<script>hostile=1</script>",
  "<img src=x onerror=hostile=1>",
  "<svg/onload=hostile=1>",
  `"><img src=x onerror=hostile=1>`,
  `' onmouseover='hostile=1' autofocus onfocus='hostile=1`,
  "</script><script>hostile=1</script>",
  "</title><script>hostile=1</script>",
  "</textarea></style></template><script>hostile=1</script>",
  "<!--<script>hostile=1</script>-->",
  "javascript:hostile=1",
  "<a href=javascript:hostile=1>click</a>",
  "[click](javascript:hostile=1)",
  "<iframe srcdoc='<script>parent.hostile=1</script>'></iframe>",
  "<base href=//example.org/>",
  "<meta http-equiv=refresh content=0;url=javascript:hostile=1>",
  "{{constructor.constructor('hostile=1')()}}",
  "${hostile=1}",
  "&lt;script&gt;hostile=1&lt;/script&gt;",
  "<math><mtext></p><style><img src=x onerror=hostile=1></style>",
  "\u2028hostile=1//",
];

const all = corpus.join("\n\n");
const pieces = corpus.map((text) => text.slice(0, 64).replaceAll(/[\n\u2028]/g, " "));
let chromium: Chromium;

beforeAll(async () => {
  chromium = await startBrowser();
  await seedEnvironment(server.hub, ada, {
    bare: "hostile",
    readme: all,
    packageJson: { description: all, keywords: pieces, license: pieces[0], homepage: corpus[9] },
    manifest: {
      title: pieces[6] ?? "",
      description: all.slice(0, 2000).replaceAll("\u2028", " "),
      tags: pieces,
      kind: "tools",
      tools: pieces.map((name) => ({ name, description: name, input: { type: "object" } })),
      scores: pieces.map((name) => ({ name, description: name, weight: 1, isGroup: false })),
      policies: pieces,
      example: { messages: [{ role: "user", content: all }] },
    },
  });
});

afterAll(() => chromium.close());

async function expectInert(path: string): Promise<Tab> {
  const tab = await chromium.newPage();
  const violations: string[] = [];
  tab.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) violations.push(message.text());
  });
  tab.on("dialog", (dialog) => void dialog.dismiss().then(() => violations.push("a dialog")));
  await tab.goto(`${server.url}${path}`);
  // Long enough for `onerror` of pictures, and for islands to hydrate.
  await tab.waitForLoadState("networkidle");
  expect([path, await tab.evaluate("'hostile' in globalThis")]).toEqual([path, false]);
  expect([path, violations]).toEqual([path, []]);
  expect(new URL(tab.url()).origin).toBe(server.url);
  const handlers = `[...document.querySelectorAll("*")].flatMap((element) =>
    [...element.attributes].filter(({ name, value }) => /^on/.test(name) || /^\\s*javascript:/i.test(value))
      .map(({ name, value }) => name + "=" + value)
      .filter((text) => !/^(?:value|content|title|alt|aria-label|data-[a-z]+)=/.test(text)))`;
  expect([path, await tab.evaluate(handlers)]).toEqual([path, []]);
  return tab;
}

test.each([
  "/",
  "/search",
  "/package/@ada/hostile",
  "/package/@ada/hostile/versions",
  "/package/@ada/hostil",
  "/user/ada",
])("shows hostile names, descriptions and READMEs as text on %s", async (path) => {
  const tab = await expectInert(path);
  await tab.close();
});

test("shows hostile queries as text, on the server and in the browser", async () => {
  for (const text of corpus) {
    const query = new URLSearchParams({ q: text, tag: text, owner: text });
    const tab = await expectInert(`/search?${query.toString()}`);
    await tab.close();
  }
});

test("shows hostile addresses as text", async () => {
  for (const text of corpus) {
    const path = `/nothing/${encodeURIComponent(text)}`;
    const response = await fetch(`${server.url}${path}`, { headers: { accept: "text/html" } });
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("<script>hostile");
  }
});

test("draws the picture of a package with hostile texts", async () => {
  const picture = await fetch(`${server.url}/package/@ada/hostile/card.png`);
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
});
