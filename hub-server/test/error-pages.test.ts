import { beforeAll, expect, test } from "vitest";

import { browser } from "./support/browser.ts";
import { anyDatabase } from "./support/hub.ts";
import { makePerson, type Person } from "./support/person.ts";
import { seedCatalogue } from "./support/seed-catalogue.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_SEARCHES_PER_MINUTE: "3" });
let ada: Person;

beforeAll(async () => {
  ada = await makePerson(server, "ada");
  await seedCatalogue(server.hub, ada);
});

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

test("suggests packages with similar names for an unknown address", async () => {
  const response = await fetch(`${server.url}/package/@ada/tiktaktoe`, { headers: html });
  const text = await response.text();
  expect([response.status, text.includes("Did you mean")]).toEqual([404, true]);
  expect(text).toContain('href="/package/@ada/tictactoe"');
});

test("responds to a private package as to a missing one", async () => {
  const open = async (name: string) => {
    const { status, html } = await browser(server).open(`/package/@ada/${name}`);
    return [status, html.replaceAll(name, "NAME")];
  };
  expect(await open("secret-plan")).toEqual(await open("absent-plan"));
});

test("shows the user's menu on error pages", async () => {
  const tab = await ada.signIn();
  const { status, html } = await tab.open("/package/@ada/nothing-at-all");
  expect([status, html.includes("<summary>ada</summary>")]).toEqual([404, true]);
});

test("responds with a page to browsers and with JSON to programs", async () => {
  const page = await fetch(`${server.url}/no/such/page`, { headers: html });
  expect([page.status, page.headers.get("content-type")]).toEqual([
    404,
    "text/html; charset=utf-8",
  ]);
  const program = await fetch(`${server.url}/no/such/page`);
  expect([program.status, await program.json()]).toEqual([
    404,
    expect.objectContaining({ code: "not-found" }),
  ]);
});

test("redirects browsers from a package's registry address to its page", async () => {
  const address = `${server.url}/@ada%2ftictactoe`;
  const page = await fetch(address, { headers: html, redirect: "manual" });
  expect([page.status, page.headers.get("location")]).toEqual([302, "/package/@ada/tictactoe"]);
  const client = await fetch(address);
  expect(await client.json()).toMatchObject({ name: "@ada/tictactoe" });
});

test("names the wait when a visitor searches too often", async () => {
  const statuses = [];
  for (const q of ["a", "b", "c", "d"])
    statuses.push((await fetch(`${server.url}/search?q=${q}`)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const { heading, text, headers } = await browser(server).open("/search?q=e");
  expect(heading).toBe("Too many requests");
  expect(text).toMatch(/Try again in \d+ seconds/);
  expect(headers.get("retry-after")).toMatch(/^\d+$/);
});
