import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect } from "vitest";

import { environmentPackage } from "../../cli/test/manifest/package.ts";
import { buildManifest } from "../src/manifest/build-manifest.ts";
import { test as base } from "./fixtures.ts";
import { type TestMachine, testMachine } from "./machine.ts";

const test = base
  .extend("variables", ({ hub, ada }) => ({ ENVS_HUB: hub.url, ENVS_HUB_TOKEN: ada.token }))
  .extend("publicVersions", ({ hub }) =>
    /** The versions of a package that an anonymous user can read. */
    async (name: string): Promise<readonly string[]> => {
      const response = await hub.request(`/${name.replace("/", "%2f")}`);
      const { versions = {} } = (await response.json()) as { versions?: object };
      return Object.keys(versions);
    },
  );

/** Writes a package without an environment to the project. */
async function writePackage(machine: TestMachine, json: object): Promise<void> {
  await machine.write("package.json", JSON.stringify({ version: "1.0.0", ...json }));
  await machine.write("index.js", "export {};\n");
}

test("envs publish publishes an environment with npm, and writes the token to no file", async ({
  hub,
  ada,
  variables,
}) => {
  await using machine = await testMachine(["npm"]);
  const folder = await environmentPackage("", {
    packageJson: { name: "@ada/guess", keywords: ["llm-environment"] },
  });
  await buildManifest(folder);
  const { code, stdout, stderr } = await machine.envs(["publish", folder], { variables });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain("✓ envs.manifest.json is up to date");
  expect(stderr).toMatch(/\$ npm publish --@ada:registry=\S+\n/);
  expect(stdout).toContain(`envs install @ada/guess --registry ${hub.url}`);
  expect(stdout + stderr).not.toContain(ada.token);
  expect(await machine.read("~/.npmrc")).toBe("");
  const json = await machine.json<{
    package: { owner: { name: string } };
    version: { environment: { name: string }; publishedBy: string };
  }>(["info", "guess"], { variables });
  expect(json.package.owner.name).toBe("ada");
  expect(json.version).toMatchObject({ environment: { name: "guess" }, publishedBy: "ada" });
  const info = await machine.envs(["info", "@ada/guess"], { variables });
  expect(info.stdout).toMatch(
    /^@ada\/guess 1\.2\.3\n[^]*install +envs install @ada\/guess[^]*scores/,
  );
});

test("envs publish rejects an environment whose manifest is out of date", async ({
  variables,
  publicVersions,
}) => {
  await using machine = await testMachine(["npm"]);
  const folder = await environmentPackage("", {
    packageJson: { name: "@grace/guess", keywords: ["llm-environment"] },
  });
  await buildManifest(folder);
  const module = join(folder, "dist/index.js");
  await writeFile(module, (await readFile(module, "utf8")).replace("Guess.", "Guess!"));
  const stale = await machine.envs(["publish", folder], { variables });
  expect(stale).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/✗ envs\.manifest\.json .*\n {2}Out of date: .*npm run build/),
  });
  expect(stale.stderr).not.toContain("$ npm");
  expect(await publicVersions("@grace/guess")).toEqual([]);
});

test("envs publish rejects a version that exists", async ({ variables }) => {
  await using machine = await testMachine(["npm"]);
  await writePackage(machine, { name: "@ada/plain" });
  expect((await machine.envs(["publish"], { variables })).code).toBe(0);
  const again = await machine.envs(["publish"], { variables });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("npm version patch") });
});

test.for([
  [{ name: "@ada/own", private: true }, 'contains "private": true'],
  [{ name: "@ada/local", dependencies: { "@ada/x": "file:../x" } }, "@ada/x is file:../x"],
] as const)("envs publish rejects the package.json %j", async ([json, message], { variables }) => {
  await using machine = await testMachine(["npm"]);
  await writePackage(machine, json);
  const result = await machine.envs(["publish"], { variables });
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
});

test("envs publish requires a login", async ({ hub, publicVersions }) => {
  await using machine = await testMachine(["npm"]);
  await writePackage(machine, { name: "@ada/other" });
  const result = await machine.envs(["publish"], { variables: { ENVS_HUB: hub.url } });
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("envs hub login") });
  expect(await publicVersions("@ada/other")).toEqual([]);
});

test("envs publish uses pnpm in a pnpm workspace, which replaces workspace: ranges", async ({
  hub,
  variables,
  publicVersions,
}) => {
  await using machine = await testMachine(["pnpm"]);
  await machine.write("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
  await machine.write("package.json", JSON.stringify({ name: "root", private: true }));
  await machine.write(
    "packages/rules/package.json",
    JSON.stringify({ name: "@ada/rules", version: "2.1.0" }),
  );
  await machine.write(
    "packages/game/package.json",
    JSON.stringify({
      name: "@ada/game",
      version: "1.0.0",
      dependencies: { "@ada/rules": "workspace:^" },
    }),
  );
  const publish = (...words: readonly string[]) =>
    machine.envs(["publish", "packages/game", ...words, "--", "--no-git-checks"], { variables });
  const dryRun = await publish("--dry-run");
  expect(dryRun).toMatchObject({ code: 0, stdout: expect.stringContaining("Dry run: @ada/game") });
  expect(await publicVersions("@ada/game")).toEqual([]);
  const game = await publish("--tag", "next");
  expect(game).toMatchObject({ code: 0, stdout: expect.stringContaining("@ada/game@next") });
  const version = await hub.request("/@ada%2fgame/1.0.0");
  expect(await version.json()).toMatchObject({ dependencies: { "@ada/rules": "^2.1.0" } });
  const tags = await hub.request("/-/package/@ada%2fgame/dist-tags");
  expect(await tags.json()).toMatchObject({ next: "1.0.0" });
});

test("envs publish lets pnpm read the .npmrc that NPM_CONFIG_USERCONFIG names", async ({
  hub,
  ada,
  publicVersions,
}) => {
  await using machine = await testMachine(["pnpm"]);
  await machine.write("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
  await machine.write("package.json", JSON.stringify({ name: "root", private: true }));
  await machine.write(
    "packages/dice/package.json",
    JSON.stringify({ name: "@ada/dice", version: "1.0.0" }),
  );
  await machine.write("~/moved.npmrc", `//${new URL(hub.url).host}/:_authToken=${ada.token}\n`);
  const { code, stdout, stderr } = await machine.envs(
    ["publish", "packages/dice", "--registry", hub.url, "--", "--no-git-checks"],
    {
      variables: {
        NPM_CONFIG_USERCONFIG: join(machine.home, "moved.npmrc"),
        // Sets the variable in the spelling of npx.
        npm_config_userconfig: join(machine.home, ".npmrc"),
      },
    },
  );
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect(await publicVersions("@ada/dice")).toEqual(["1.0.0"]);
});

test("envs publish passes the token to Yarn 4 in a variable", async ({
  variables,
  publicVersions,
}) => {
  await using machine = await testMachine(["yarn4"]);
  await writePackage(machine, { name: "@ada/yarned" });
  await machine.write("yarn.lock", "");
  await machine.write(".yarnrc.yml", "enableTelemetry: false\n");
  await machine.run("yarn", "install");
  const { code, stdout, stderr } = await machine.envs(["publish"], { variables });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect(await publicVersions("@ada/yarned")).toEqual(["1.0.0"]);
});

test("envs publish follows publishConfig, and rejects a conflicting --registry or scope", async ({
  hub,
  ada,
}) => {
  await using machine = await testMachine(["npm"]);
  const { host } = new URL(hub.url);
  await machine.write("~/.npmrc", `//${host}/:_authToken=${ada.token}\n`);
  await writePackage(machine, {
    name: "@ada/pinned",
    publishConfig: { registry: `${hub.url}/` },
  });
  const otherRegistry = await machine.envs(["publish", "--registry", "http://localhost:1"]);
  expect(otherRegistry).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`publishConfig in package.json names ${hub.url}/`),
  });
  await machine.write(".npmrc", "@ada:registry=http://localhost:1/\n");
  const otherScope = await machine.envs(["publish"]);
  expect(otherScope).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("@ada is mapped to http://localhost:1/ (.npmrc)"),
  });
  await machine.write(".npmrc", "");
  const { state, hub: url } = await machine.json<{ state: string; hub: string }>(["publish"]);
  expect({ state, url }).toEqual({ state: "published", url: hub.url });
});

test("envs publish --stage uploads a version that waits for approval", async ({
  variables,
  publicVersions,
}) => {
  await using machine = await testMachine(["npm"]);
  await writePackage(machine, { name: "@ada/staged" });
  const { code, stdout, stderr } = await machine.envs(["publish", "--stage"], { variables });
  expect({ code, stderr, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("waits for approval"),
  });
  expect(await publicVersions("@ada/staged")).toEqual([]);
});
