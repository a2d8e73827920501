import { expect, test } from "vitest";

import { browser } from "./support/browser.ts";
import { publishOrThrow } from "./support/publish.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off", HUB_LOG: "silent" });
const ada = sharedUser(server, "ada");

test("shows a README as text if its rendering takes all memory, and renders others after it", async () => {
  const bomb = `${">".repeat(20_000)} the end`;
  await publishOrThrow(server, "@ada/bomb", { as: ada, files: { "README.md": bomb } });
  await publishOrThrow(server, "@ada/plain", { as: ada, files: { "README.md": "# Calm\n" } });
  const slow = browser(server)
    .open("/package/@ada/bomb")
    .then((page) => ({ page, name: "page" }));
  // The registry responds while the other process renders.
  const ping = server.request("/-/ping").then(() => ({ page: undefined, name: "ping" }));
  expect((await Promise.race([slow, ping])).name).toBe("ping");
  const { page } = await slow;
  expect([page.status, page.html.includes('<pre class="readme-text"')]).toEqual([200, true]);
  expect(page.text).toContain("the end");
  const { html } = await browser(server).open("/package/@ada/plain");
  expect(html).toContain('<h2 id="readme-calm">Calm</h2>');
});
