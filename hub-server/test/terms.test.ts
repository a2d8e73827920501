import { expect, test } from "vitest";

import { browser } from "./support/browser.ts";
import { makePerson, password } from "./support/person.ts";
import { publish, publishOrThrow } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

const terms = "2026-12-01 https://example.com/terms";
const server = sharedHub("server", { HUB_REGISTRATION: "open", HUB_TERMS: terms });

test("a new user accepts the terms before the first change", async () => {
  const tab = browser(server);
  await tab.open("/register");
  await tab.press("Create account", { Name: "grace", Password: password });
  expect(tab.page).toMatchObject({ path: "/terms?next=%2Fsettings", heading: "Terms" });
  expect(tab.page.text).toContain("version 2026-12-01");
  await tab.press("Accept the terms");
  expect(tab.page.heading).toBe("Account");
  expect((await tab.open("/terms")).text).toContain("You have accepted them.");
  expect((await tab.open("/settings/log")).text).toContain("2026-12-01");
});

test("others are asked before their next change, and may install meanwhile", async () => {
  const ada = await makePerson(server, "ada");
  const rejected = await publish(server, "@ada/chess", { as: ada });
  expect([rejected.status, await rejected.json()]).toMatchObject([
    403,
    { code: "terms-not-accepted", error: expect.stringContaining(`${server.url}/terms`) },
  ]);
  expect((await server.request("/-/whoami", { as: ada })).status).toBe(200);
  const tab = await ada.signIn();
  await tab.open("/terms?next=/settings/tokens");
  await tab.press("Accept the terms");
  expect(tab.page.heading).toBe("Tokens");
  await publishOrThrow(server, "@ada/chess", { as: ada });
});
