import { expect, test } from "vitest";

import { anyDatabase } from "./support/hub.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off" });
const ada = sharedUser(server, "ada");

const open = (headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}/`, { headers });

test("does not send a cookie to visitors who are not signed in, and sends 304 for a cached page", async () => {
  const first = await open();
  expect(first.headers.getSetCookie()).toEqual([]);
  expect(first.headers.get("vary")).toBe("Cookie, Accept-Encoding");
  const again = await open({ "if-none-match": first.headers.get("etag") ?? "" });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("explains the first steps until there is an environment, which the page shows at once", async () => {
  const before = await (await open()).text();
  await seedEnvironment(server.hub, ada, { bare: "fresh" });
  const after = await (await open()).text();
  expect([before.includes("@ada/fresh"), after.includes("@ada/fresh")]).toEqual([false, true]);
  const isNew = "This hub has no environment yet";
  expect([before.includes(isNew), after.includes(isNew)]).toEqual([true, false]);
  expect(before).toContain(`envs publish --registry ${server.url}`);
  expect(after).toContain(`envs search --registry ${server.url}`);
});

test("compresses pages and assets for browsers that accept it", async () => {
  const page = await open({ "accept-encoding": "br" });
  expect(page.headers.get("content-encoding")).toBe("br");
  const [, path = ""] = /<link rel="stylesheet" href="([^"]+)"/.exec(await page.text()) ?? [];
  const style = await fetch(`${server.url}${path}`, { headers: { "accept-encoding": "gzip" } });
  expect(style.headers.get("content-encoding")).toBe("gzip");
  expect(await style.text()).toContain("--accent");
});
