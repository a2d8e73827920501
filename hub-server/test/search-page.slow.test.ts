import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { browser } from "./support/browser.ts";
import { type Chromium, startBrowser, type Tab } from "./support/chromium.ts";
import { makePerson, type Person } from "./support/person.ts";
import { seedCatalogue } from "./support/seed-catalogue.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let ada: Person;

beforeAll(async () => {
  ada = await makePerson(server, "ada");
  await seedCatalogue(server.hub, ada);
});

const namesIn = (html: string): readonly string[] =>
  [...html.matchAll(/<a class="name" href="\/package\/([^"]+)"/g)].map(([, name = ""]) => name);

describe("without scripts", () => {
  test.each([
    ["words", "q=encyclopedia", ["@ada/wiki-search"]],
    ["a misspelled word", "q=tictaktoe", ["@ada/tictactoe"]],
    [
      "the kind of interaction",
      "kind=single-turn&sort=name",
      ["@ada/polite-mail", "@ada/reverse-text"],
    ],
    ["a tag", "tag=game", ["@ada/tictactoe"]],
    ["a tool", "tool=readSection", ["@ada/wiki-search"]],
    ["a need", "need=judge", ["@ada/polite-mail"]],
    ["a licence", "license=Apache-2.0", ["@ada/polite-mail"]],
    ["a protocol", "protocol=openenv&tag=text", ["@ada/reverse-text"]],
  ])("finds environments by %s in the address", async (_, query, names) => {
    const { html } = await browser(server).open(`/search?${query}`);
    expect(namesIn(html)).toEqual(names);
  });

  test("ignores parameters that are not valid", async () => {
    const { status, html } = await browser(server).open("/search?page=-1&sort=worst&kind=%00");
    expect([status, namesIn(html).length]).toEqual([200, 5]);
  });

  test("names the query and the next steps if nothing matches", async () => {
    const { text } = await browser(server).open("/search?q=xylophone&tag=game");
    expect(text).toContain("Nothing matches “xylophone”.");
    expect(text).toContain("Remove the filters");
  });

  test("shows private packages to their readers only, also after a request with a token", async () => {
    const path = "/search?q=platypus";
    const headers = { authorization: `Bearer ${ada.token}` };
    await fetch(`${server.url}${path}`, { headers });
    await fetch(`${server.url}/search/results?q=platypus`, { headers });
    const asStranger = await browser(server).open(path);
    expect(namesIn(asStranger.html)).toEqual([]);
    expect(asStranger.text).not.toContain("Whistle");
    const results = await fetch(`${server.url}/search/results?q=platypus`);
    expect(await results.json()).toMatchObject({ total: 0, items: [] });
    const tab = await ada.signIn();
    expect(namesIn((await tab.open(path)).html)).toEqual(["@ada/secret-plan"]);
  });
});

describe("in a browser with scripts", () => {
  let chromium: Chromium;
  let tab: Tab;
  beforeAll(async () => void (chromium = await startBrowser()));
  afterAll(() => chromium.close());
  beforeEach(async () => {
    tab = await chromium.newPage();
    await tab.goto(`${server.url}/search?sort=name`);
    // The button is only for browsers without scripts.
    await tab.getByRole("button", { name: "Search" }).waitFor({ state: "detached" });
    return () => tab.close();
  });

  const names = () => tab.locator(".package-item .name").allTextContents();

  test("filters while the user types and keeps the address current", async () => {
    await tab.getByLabel("Search environments").fill("encyclopedia");
    await expect.poll(names).toEqual(["@ada/wiki-search"]);
    expect(new URL(tab.url()).search).toBe("?q=encyclopedia&sort=name");
  });

  test("filters by a checked facet and returns with the back button", async () => {
    await tab.getByRole("checkbox", { name: "A judge model" }).check();
    await expect.poll(names).toEqual(["@ada/polite-mail"]);
    expect(new URL(tab.url()).search).toBe("?need=judge&sort=name");
    await tab.goBack();
    await expect.poll(names).toHaveLength(5);
    expect(await tab.getByRole("checkbox", { name: "A judge model" }).isChecked()).toBe(false);
  });

  test("announces the number of results", async () => {
    await tab.getByRole("checkbox", { name: "text" }).check();
    await expect.poll(() => tab.getByRole("status").textContent()).toBe("2 environments");
  });

  test("moves the focus between the box and the results with the arrow keys", async () => {
    const focused = () => tab.evaluate<string>("document.activeElement.textContent");
    await tab.keyboard.press("/");
    await tab.keyboard.press("ArrowDown");
    expect(await focused()).toBe("@ada/double-check");
    await tab.keyboard.press("ArrowDown");
    expect(await focused()).toBe("@ada/polite-mail");
    await tab.keyboard.press("ArrowUp");
    await tab.keyboard.press("ArrowUp");
    expect(await focused()).toBe("");
  });

  test("shows the reason if the hub rejects the search", async () => {
    await tab.route("**/search/results*", (route) =>
      route.fulfill({ status: 429, json: { error: "Too many requests. Try again in 5 seconds." } }),
    );
    await tab.getByRole("checkbox", { name: "text" }).check();
    const reason = "Too many requests. Try again in 5 seconds.";
    await expect.poll(() => tab.getByRole("status").textContent()).toBe(reason);
  });
});
