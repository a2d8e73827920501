import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type TestHub, testHub } from "@envs/hub-testing/hub";
import { makePerson, type Person } from "@envs/hub-testing/person";
import { afterAll, beforeAll, expect, test } from "vitest";

import { buildManifest } from "../../cli/src/manifest/build-manifest.ts";
import { environmentPackage } from "../../cli/test/manifest/package.ts";
import { type Workplace, workplace } from "./workplace.ts";

let hub: TestHub;
let ada: Person;

beforeAll(async () => {
  hub = await testHub("embedded");
  ada = await makePerson(hub, "ada");
});
afterAll(() => hub.close());

const variables = () => ({ ENVS_HUB: hub.url, ENVS_HUB_TOKEN: ada.token });

/** The document of a package, as strangers see it. */
async function versionsOf(name: string): Promise<readonly string[]> {
  const answer = await hub.ask(`/${name.replace("/", "%2f")}`);
  const { versions = {} } = (await answer.json()) as { versions?: object };
  return Object.keys(versions);
}

async function plainPackage(at: Workplace, json: object): Promise<void> {
  await at.write("package.json", JSON.stringify({ version: "1.0.0", ...json }));
  await at.write("index.js", "export {};\n");
}

test("npm publishes an environment that is built, with a token that no file holds", async () => {
  await using at = await workplace(["npm"]);
  const folder = await environmentPackage("", {
    packageJson: { name: "@ada/guess", keywords: ["llm-environment"] },
  });
  await buildManifest(folder);
  const { code, stdout, stderr } = await at.envs(["publish", folder], { variables: variables() });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain("✓ envs.manifest.json describes what is built");
  expect(stderr).toMatch(/\$ npm publish --@ada:registry=\S+\n/);
  expect(stdout).toContain(`envs install @ada/guess --registry ${hub.url}`);
  expect(stdout + stderr).not.toContain(ada.token);
  expect(await at.read("~/.npmrc")).toBe("");
  const { package: found, version } = await at.json<{
    package: { owner: { name: string } };
    version: { environment: { name: string }; publishedBy: string };
  }>(["info", "guess"], { variables: variables() });
  expect(found.owner.name).toBe("ada");
  expect(version).toMatchObject({ environment: { name: "guess" }, publishedBy: "ada" });
  const told = await at.envs(["info", "@ada/guess"], { variables: variables() });
  expect(told.stdout).toMatch(
    /^@ada\/guess 1\.2\.3\n[^]*install +envs install @ada\/guess[^]*scores/,
  );
});

test("nothing is sent of what is not built, not new, or not for others", async () => {
  await using at = await workplace(["npm"]);
  const folder = await environmentPackage("", {
    packageJson: { name: "@grace/guess", keywords: ["llm-environment"] },
  });
  await buildManifest(folder);
  await writeFile(
    join(folder, "dist/index.js"),
    (await readFile(join(folder, "dist/index.js"), "utf8")).replace("Guess.", "Guess!"),
  );
  const stale = await at.envs(["publish", folder], { variables: variables() });
  expect(stale).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/✗ envs\.manifest\.json .*\n {2}Out of date: .*npm run build/),
  });
  expect(stale.stderr).not.toContain("$ npm");
  expect(await versionsOf("@grace/guess")).toEqual([]);

  await plainPackage(at, { name: "@ada/plain" });
  expect((await at.envs(["publish"], { variables: variables() })).code).toBe(0);
  const again = await at.envs(["publish"], { variables: variables() });
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("npm version patch") });

  await plainPackage(at, { name: "@ada/own", private: true });
  const own = await at.envs(["publish"], { variables: variables() });
  expect(own).toMatchObject({ code: 1, stderr: expect.stringContaining('"private": true') });

  await plainPackage(at, { name: "@ada/local", dependencies: { "@ada/plain": "file:../x" } });
  const local = await at.envs(["publish"], { variables: variables() });
  expect(local).toMatchObject({ code: 1, stderr: expect.stringContaining("as file:../x") });

  await plainPackage(at, { name: "@ada/other" });
  const stranger = await at.envs(["publish"], { variables: { ENVS_HUB: hub.url } });
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining("envs login") });
  expect(await versionsOf("@ada/other")).toEqual([]);
});

test("pnpm publishes from its workspace, with versions where the workspace has references", async () => {
  await using at = await workplace(["pnpm"]);
  await at.write("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
  await at.write("package.json", JSON.stringify({ name: "root", private: true }));
  await at.write(
    "packages/rules/package.json",
    JSON.stringify({ name: "@ada/rules", version: "2.1.0" }),
  );
  await at.write(
    "packages/game/package.json",
    JSON.stringify({
      name: "@ada/game",
      version: "1.0.0",
      dependencies: { "@ada/rules": "workspace:^" },
    }),
  );
  const words = ["--tag", "next", "--", "--no-git-checks"];
  const dry = await at.envs(["publish", "packages/game", "--dry-run", ...words.slice(2)], {
    variables: variables(),
  });
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was sent") });
  expect(await versionsOf("@ada/game")).toEqual([]);
  const game = await at.envs(["publish", "packages/game", ...words], { variables: variables() });
  expect(game).toMatchObject({ code: 0, stdout: expect.stringContaining("@ada/game@next") });
  const answer = await hub.ask("/@ada%2fgame/1.0.0");
  expect(await answer.json()).toMatchObject({ dependencies: { "@ada/rules": "^2.1.0" } });
  const tags = await hub.ask("/-/package/@ada%2fgame/dist-tags");
  expect(await tags.json()).toMatchObject({ next: "1.0.0" });
});

test("Yarn 4 publishes, too, with the token in a variable", async () => {
  await using at = await workplace(["yarn4"]);
  await plainPackage(at, { name: "@ada/yarned" });
  await at.write("yarn.lock", "");
  await at.write(".yarnrc.yml", "enableTelemetry: false\n");
  await at.does("yarn", "install");
  const { code, stdout, stderr } = await at.envs(["publish"], { variables: variables() });
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect(await versionsOf("@ada/yarned")).toEqual(["1.0.0"]);
});

test("a package goes where its package.json says, and nowhere when others say otherwise", async () => {
  await using at = await workplace(["npm"]);
  const { host } = new URL(hub.url);
  await at.write("~/.npmrc", `//${host}/:_authToken=${ada.token}\n`);
  await plainPackage(at, { name: "@ada/pinned", publishConfig: { registry: `${hub.url}/` } });
  const other = await at.envs(["publish", "--registry", "http://localhost:1"]);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("publishConfig") });
  await at.write(".npmrc", "@ada:registry=http://localhost:1/\n");
  const line = await at.envs(["publish"]);
  expect(line).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Packages of @ada go to http://localhost:1/"),
  });
  await at.write(".npmrc", "");
  const { state, hub: url } = await at.json<{ state: string; hub: string }>(["publish"]);
  expect({ state, url }).toEqual({ state: "published", url: hub.url });
});

test("a version waits for approval when it is staged", async () => {
  await using at = await workplace(["npm"]);
  await plainPackage(at, { name: "@ada/staged" });
  const { code, stdout, stderr } = await at.envs(["publish", "--stage"], {
    variables: variables(),
  });
  expect({ code, stderr, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("waits"),
  });
  expect(await versionsOf("@ada/staged")).toEqual([]);
});
