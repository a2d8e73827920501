import { join } from "node:path";

import { hubClient } from "@envs/hub-client";
import { startBrowser } from "@envs/hub-server/testing/chromium";
import { afterAll, beforeAll, expect, test } from "vitest";

import { temporaryFolder } from "./support/command-line.ts";
import { approver } from "./support/hub/approver.ts";
import { type HubProcess, startHub } from "./support/hub/process.ts";
import { logIn } from "./support/hub/publishing.ts";
import { type SuiteResult, verdaccioSuite } from "./support/verdaccio-suite.ts";

/** Tests of the suite that do not apply to a hub, and why. */
const inapplicable = {
  "package-names":
    "publishes names that npm no longer accepts: capital letters, and parts that begin with a hyphen or an underscore; and expects 400 where the hub returns 404 for a name that no package can have",
} as const;

/** Tests of commands that the tests of clients run, too, and check more closely. */
const repeated = Object.fromEntries(
  [
    "publish",
    "install",
    "ci",
    "audit",
    "info",
    "deprecate",
    "dist-tags",
    "search",
    "unpublish",
  ].map((name) => [name, "hub-clients.slow.test.ts"]),
);
/** The tests of clients do not run audits with bun. */
const { audit: _, ...repeatedWithBun } = repeated;

const stack = new AsyncDisposableStack();
let hub: HubProcess;
let token: string;

beforeAll(async () => {
  const { path } = stack.use(await temporaryFolder());
  const variables = {
    HUB_LIMITS: "off",
    HUB_TARBALL_BYTES: String(40 * 2 ** 20),
  };
  hub = stack.use(await startHub({ data: join(path, "data"), variables }));
  // The first account is an administrator, who may publish names without a scope.
  await using browser = await startBrowser();
  await approver(browser, hub, "ada");
  ({ token } = await logIn(hub.url, "ada"));
  const { createOrganisation } = hubClient({ url: hub.url, token });
  for (const name of ["verdaccio", "foo"]) await createOrganisation({ name });
});

afterAll(() => stack.disposeAsync());

function run(
  client: Parameters<typeof verdaccioSuite>[0],
  except: Readonly<Record<string, string>>,
): Promise<SuiteResult> {
  return verdaccioSuite(client, { url: hub.url, token }, Object.keys(except));
}

/** Tests of uplinks, which are registries behind a registry. The hub deliberately does not support them. */
const uplinks = ["scenario:uplink-failure", "scenario:reserved-names"];

test("passes Verdaccio's registry tests with npm", async () => {
  const { passed, failed, skipped, printed } = await run("npm", { ...inapplicable, ...repeated });
  expect(failed, printed).toEqual([]);
  expect(passed, printed).toEqual([
    "ping",
    "scenario:install-multiple-deps",
    "scenario:tarballs",
    "scenario:metadata",
    "scenario:search",
  ]);
  expect(skipped).toEqual(["login", "scenario:minimum-release-age", ...uplinks]);
});

test("passes Verdaccio's registry tests with pnpm", async () => {
  const { passed, failed, skipped, printed } = await run("pnpm", { ...inapplicable, ...repeated });
  expect(failed, printed).toEqual([]);
  expect(passed, printed).toEqual([
    "scenario:install-multiple-deps",
    "scenario:minimum-release-age",
  ]);
  // The suite does not know that pnpm supports these commands, or runs them only with npm.
  expect(skipped).toEqual([
    "login",
    "ping",
    "scenario:tarballs",
    "scenario:metadata",
    "scenario:search",
    ...uplinks,
  ]);
});

test("passes Verdaccio's registry tests with bun", async () => {
  const { passed, failed, skipped, printed } = await run("bun", {
    ...inapplicable,
    ...repeatedWithBun,
  });
  expect(failed, printed).toEqual([]);
  expect(passed, printed).toEqual(["audit", "scenario:install-multiple-deps"]);
  // The suite runs these only with npm and pnpm; bun lacks most of these commands.
  expect(skipped).toEqual([
    "login",
    "ping",
    "scenario:minimum-release-age",
    "scenario:tarballs",
    "scenario:metadata",
    "scenario:search",
    ...uplinks,
  ]);
});
