import { afterAll, beforeAll, expect, test } from "vitest";

import { longPath, publishChess } from "./fixtures/publish-chess.ts";
import { type Chromium, startBrowser } from "./support/chromium.ts";
import { pageProblems } from "./support/page-problems.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const ada = sharedUser(server, "ada");
const pictures = process.env["ENVS_TEST_PICTURES"];
let chromium: Chromium;

beforeAll(async () => {
  [chromium] = await Promise.all([startBrowser(), publishChess(server, ada)]);
});

afterAll(() => chromium.close());

// `every-page.slow.test.ts` checks the other tabs.
test.each(["/versions", "/diff/1.0.0...1.1.0", `/files/1.1.0/${longPath}`])(
  "shows the tab %s of a package without faults in both schemes and on a phone",
  async (tab) => {
    const picture = pictures && `${pictures}/package${tab.replaceAll("/", "-").slice(0, 40)}`;
    const url = `${server.url}/package/@ada/chess${tab}`;
    expect(await pageProblems(chromium, url, { pictures: picture })).toEqual([]);
  },
);
