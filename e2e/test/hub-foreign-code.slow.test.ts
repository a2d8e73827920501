import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { packageJson, tarball } from "@envs/hub-server/testing/archive";
import { type TestHub, testHub, type TestUser } from "@envs/hub-server/testing/hub";
import { escapedName } from "@envs/hub-server/testing/package-document";
import { publishBody, publishOrThrow } from "@envs/hub-server/testing/publish";
import { seedPackage } from "@envs/hub-server/testing/seed-package";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { clientNames, clients } from "./support/clients.ts";
import { type Client, startClient } from "./support/clients/client.ts";
import { temporaryFolder } from "./support/command-line.ts";
import { type ForeignServer, foreignServer } from "./support/hub/foreign-server.ts";

const stack = new AsyncDisposableStack();
let hub: TestHub;
let mallory: TestUser;
let foreign: ForeignServer;
/** Exists after code of an attacker has run. */
let marker: string;

beforeAll(async () => {
  marker = join(stack.use(await temporaryFolder()).path, "code-has-run");
  foreign = stack.use(await foreignServer("honest", attack("touch")));
  hub = stack.use(await testHub("server"));
  mallory = await hub.createUser("mallory");
  const ada = await hub.createUser("ada");
  await publishOrThrow(hub, "@ada/honest", {
    as: ada,
    files: { "index.js": 'module.exports = "honest";\n' },
  });
});

afterAll(() => stack.disposeAsync());

/** A shell command, or a module, that creates the marker. */
function attack(kind: "touch" | "module"): string {
  return kind === "touch"
    ? `touch '${marker}'`
    : `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");\n`;
}

/** All files and fields that a package manager obeys in a project, and that it must not obey in a dependency. */
function hostilePackage() {
  const override = { "@ada/honest": foreign.url, honest: foreign.url };
  const lockfile = {
    lockfileVersion: 3,
    packages: {
      "": { dependencies: override },
      "node_modules/@ada/honest": { version: "9.9.9", resolved: foreign.url },
    },
  };
  const script = attack("touch");
  return {
    packageJson: {
      dependencies: { "@ada/honest": "^1.0.0" },
      devDependencies: { honest: foreign.url },
      overrides: override,
      resolutions: override,
      pnpm: { overrides: override, onlyBuiltDependencies: ["*"] },
      configDependencies: override,
      trustedDependencies: ["@mallory/hostile", "honest"],
      patchedDependencies: { "@ada/honest@1.0.0": "a.patch" },
      dependenciesMeta: { "@ada/honest": { built: true, unplugged: true } },
      workspaces: ["packages/*"],
      packageManager: `yarn@${foreign.url}`,
      publishConfig: { registry: foreign.url, directory: "packages/a", linkDirectory: true },
      bundleDependencies: [],
      gypfile: true,
      flat: true,
      man: ["../../../outside.1"],
      directories: { man: "../../.." },
      scripts: Object.fromEntries(
        ["prepare", "prepublish", "prepack", "preprepare", "dependencies", "prerebuild"].map(
          (name) => [name, script],
        ),
      ),
      _resolved: foreign.url,
      _from: foreign.url,
      _hasShrinkwrap: true,
      dist: { tarball: foreign.url },
    },
    files: {
      "index.js": 'module.exports = require("@ada/honest");\n',
      ".npmrc": `registry=${new URL(foreign.url).origin}/\nignore-scripts=false\n`,
      ".yarnrc": `yarn-path "./.yarn/releases/yarn.js"\nregistry "${new URL(foreign.url).origin}"\n`,
      ".yarnrc.yml": "yarnPath: .yarn/releases/yarn.js\nenableScripts: true\n",
      ".yarn/releases/yarn.js": attack("module"),
      ".pnpmfile.cjs": attack("module"),
      ".pnp.cjs": attack("module"),
      "pnpm-workspace.yaml": `packages: [packages/*]\noverrides: { "@ada/honest": "${foreign.url}" }\n`,
      "bunfig.toml": 'preload = ["./.pnpmfile.cjs"]\n',
      "package-lock.json": JSON.stringify(lockfile),
      "yarn.lock": `"@ada/honest@^1.0.0":\n  version "9.9.9"\n  resolved "${foreign.url}"\n`,
      "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
      "bun.lock": JSON.stringify(lockfile),
      "packages/a/package.json": JSON.stringify({ name: "a", scripts: { install: script } }),
      "lib/npm-shrinkwrap.json": JSON.stringify(lockfile),
      "lib/binding.gyp": "{}",
    },
  };
}

async function publishHostile(name: string): Promise<void> {
  const body = publishBody(name, hostilePackage());
  const claim = body.versions["1.0.0"];
  // Changes the document, which may state more than the tarball does, and name another tarball.
  const scripts = { install: attack("touch"), postinstall: attack("touch") };
  const lie = { ...claim, scripts, hasInstallScript: true, bundleDependencies: ["honest"] };
  const dist = { ...claim?.dist, tarball: foreign.url };
  const response = await hub.request(`/${escapedName(name)}`, {
    method: "PUT",
    as: mallory,
    body: { ...body, versions: { "1.0.0": { ...lie, dist } } },
  });
  expect([response.status, await response.text()]).toEqual([201, expect.any(String)]);
}

async function readLockfiles(client: Client): Promise<string> {
  const names = ["package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"];
  const files = names.map((name) => join(client.workplace.project, name));
  const texts = files.filter((file) => existsSync(file)).map((file) => readFile(file, "utf8"));
  return (await Promise.all(texts)).join("\n");
}

function expectNoForeignCode(): void {
  expect(foreign.requests).toEqual([]);
  expect(existsSync(marker)).toBe(false);
}

describe("a package that brings the configuration of a project", () => {
  const name = "@mallory/hostile";
  beforeAll(() => publishHostile(name));

  test.each(clientNames)("neither runs code nor replaces a package with %s", async (manager) => {
    await using client = await startClient(clients[manager], { url: hub.url, scope: "mallory" });
    const { workplace } = client;
    const { file, text } = clients[manager].settings({ url: hub.url, scope: "ada" });
    const both = await readFile(join(workplace.project, file), "utf8");
    await workplace.write(join(workplace.project, file), merged(both, text));
    await workplace.write(join(workplace.project, "yarn.lock"), "");
    await client.run("install", name);
    const lockfiles = await readLockfiles(client);
    expect(lockfiles).toContain("@ada/honest");
    expect(lockfiles).not.toContain(new URL(foreign.url).host);
    expectNoForeignCode();
  });
});

/** Adds the settings of a second scope to those of the first. */
function merged(first: string, second: string): string {
  if (!first.startsWith("npmScopes:")) return `${first}${second}`;
  const scope = second.split("\n").slice(1, 5).join("\n");
  return first.replace("npmScopes:\n", `npmScopes:\n${scope}\n`);
}

test("npm ignores the shrinkwrap of a version that was stored before the hub rejected it", async () => {
  const name = "@mallory/stored";
  const fields = { name, version: "1.0.0", dependencies: { "@ada/honest": "^1.0.0" } };
  const shrinkwrap = {
    ...fields,
    lockfileVersion: 3,
    packages: {
      "": fields,
      "node_modules/@ada/honest": { version: "1.0.0", resolved: foreign.url },
    },
  };
  const bytes = tarball([
    packageJson(fields),
    { path: "package/npm-shrinkwrap.json", content: JSON.stringify(shrinkwrap) },
  ]);
  await seedPackage(hub.hub, name, {
    owner: mallory,
    versions: [{ version: "1.0.0", tarball: bytes, manifest: fields }],
  });
  await using client = await startClient(clients["npm 11"], { url: hub.url, scope: "mallory" });
  const settings = join(client.workplace.project, ".npmrc");
  await client.workplace.write(
    settings,
    `${await readFile(settings, "utf8")}@ada:registry=${hub.url}\n`,
  );
  await client.run("install", name);
  const installed = join(client.workplace.project, "node_modules/@ada/honest/index.js");
  expect(await readFile(installed, "utf8")).toContain("honest");
  expectNoForeignCode();
});
