import { join } from "node:path";

import { hubClient } from "@envs/hub-client";
import { afterAll, beforeAll, expect, test } from "vitest";

import { startBrowser } from "../src/browser.ts";
import { temporaryFolder } from "../src/command-line.ts";
import { approver } from "../src/hub/approver.ts";
import { type HubProcess, startHub } from "../src/hub/process.ts";
import { person } from "../src/hub/publishing.ts";
import { type SuiteResult, verdaccioSuite } from "../src/verdaccio-suite.ts";

/** Tests of the suite that do not apply to a hub, and why. */
const inapplicable = {
  "package-names":
    "publishes names that npm has not taken for years: capital letters, and parts that begin with a hyphen or an underscore",
} as const;

/** Tests that need a plugin of Yarn which the suite downloads, and which not every registry has. */
const needPlugins = {
  deprecate: "@verdaccio/yarn-plugin-npm-deprecate; Yarn has no such command",
  login: "@verdaccio/yarn-plugin-npm-login, for logins by password that make accounts",
  ping: "@verdaccio/yarn-plugin-npm-ping; Yarn has no such command",
} as const;

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
  // The first account is the administrator's, who may publish names without a scope.
  await using browser = await startBrowser();
  await approver(browser, hub, "ada");
  ({ token } = await person(hub.url, "ada"));
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

/** Uplinks are registries behind a registry, which a hub on purpose has none of. */
const uplinks = ["scenario:uplink-failure", "scenario:reserved-names"];

test("npm passes what Verdaccio asks of a registry", { timeout: 600_000 }, async () => {
  const { passed, failed, skipped, printed } = await run("npm", inapplicable);
  expect(failed, printed).toEqual([]);
  expect(passed, printed).toEqual([
    "publish",
    "install",
    "ci",
    "audit",
    "info",
    "deprecate",
    "dist-tags",
    "ping",
    "search",
    "unpublish",
    "scenario:install-multiple-deps",
    "scenario:tarballs",
    "scenario:metadata",
    "scenario:search",
  ]);
  expect(skipped).toEqual(["login", "scenario:minimum-release-age", ...uplinks]);
});

test("pnpm passes what Verdaccio asks of a registry", { timeout: 600_000 }, async () => {
  const { passed, failed, skipped, printed } = await run("pnpm", inapplicable);
  expect(failed, printed).toEqual([]);
  expect(passed, printed).toEqual([
    "publish",
    "install",
    "ci",
    "audit",
    "info",
    "deprecate",
    "unpublish",
    "scenario:install-multiple-deps",
    "scenario:minimum-release-age",
  ]);
  // The suite does not know that pnpm has these words by now, or runs them once, with npm.
  expect(skipped).toEqual([
    "dist-tags",
    "login",
    "ping",
    "search",
    "scenario:tarballs",
    "scenario:metadata",
    "scenario:search",
    ...uplinks,
  ]);
});

test("Yarn passes what Verdaccio asks of a registry", { timeout: 600_000 }, async () => {
  const { passed, failed, printed } = await run("yarn", { ...inapplicable, ...needPlugins });
  expect(failed, printed).toEqual([]);
  expect(passed, printed).toEqual([
    "publish",
    "install",
    "ci",
    "info",
    "scenario:install-multiple-deps",
  ]);
});
