import { afterAll, beforeAll, expect, test } from "vitest";

import { type Chromium, startBrowser } from "./support/chromium.ts";
import { pageProblems } from "./support/page-problems.ts";
import { makePerson, type Person } from "./support/person.ts";
import { seedCatalogue } from "./support/seed-catalogue.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let chromium: Chromium;
let ada: Person;

beforeAll(async () => {
  [chromium, ada] = await Promise.all([startBrowser(), makePerson(server, "ada")]);
  await seedCatalogue(server.hub, ada);
});

afterAll(() => chromium.close());

const pictures = process.env["ENVS_TEST_PICTURES"];

// `every-page.slow.test.ts` checks the pages that links lead to.
test.each([
  "/search?q=tictaktoe&kind=multi-turn",
  "/search?q=nothing+of+the+kind&tag=game",
  "/package/@ada/tiktaktoe",
])("shows %s to strangers without faults in both schemes and on a phone", async (path) => {
  const picture = pictures && `${pictures}/stranger${path.replaceAll(/\W/g, "-")}`;
  expect(await pageProblems(chromium, `${server.url}${path}`, { pictures: picture })).toEqual([]);
});

test("focuses the search box when a user types a slash", async () => {
  const page = await chromium.newPage();
  await page.goto(`${server.url}/sign-in`);
  await page.keyboard.press("/");
  await page.keyboard.type("a/b");
  expect(await page.getByLabel("Search environments").inputValue()).toBe("a/b");
  await page.close();
});

test("closes the user's menu on Escape and returns the focus to it", async () => {
  const { cookies } = await ada.signIn();
  const context = await chromium.newContext();
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: server.url })));
  const page = await context.newPage();
  await page.goto(`${server.url}/settings`);
  await page.locator("summary", { hasText: "ada" }).click();
  const profile = page.getByRole("link", { name: "Profile" });
  await profile.focus();
  await page.keyboard.press("Escape");
  expect(await profile.isVisible()).toBe(false);
  const focused = "document.activeElement.textContent";
  expect(await page.evaluate(focused)).toBe("ada");
  await context.close();
});
