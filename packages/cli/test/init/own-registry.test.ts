import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { beforeEach, expect, onTestFinished, test, vi } from "vitest";

import { mapOwnScope, ownRegistry } from "../../src/init/own-registry.ts";
import { ownScope } from "../../src/terminal/own-scope.ts";

const scope = ownScope.slice(1);
let home: string;
let folder: string;

beforeEach(async () => {
  const root = await mkdtemp(join(tmpdir(), "envs-own-registry-"));
  onTestFinished(() => rm(root, { recursive: true }));
  [home, folder] = [join(root, "home"), join(root, "work/new")];
  await mkdir(home);
  await mkdir(folder, { recursive: true });
  vi.stubEnv("HOME", home);
  vi.stubEnv("ENVS_HUB", "");
  vi.stubEnv("npm_config_userconfig", undefined);
  vi.stubEnv("NPM_CONFIG_USERCONFIG", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
});

test.for([
  [".npmrc", "email=a@example.com\n@envs:registry=https://hub.example.com/\n"],
  [".npmrc", '"@envs:registry" = "https://hub.example.com"\n'],
  [
    ".yarnrc.yml",
    `npmScopes:\n  other:\n    npmRegistryServer: https://other.example.com\n  ${scope}:\n    npmRegistryServer: "https://hub.example.com"\n`,
  ],
  [".bunfig.toml", `[install.scopes]\n${scope} = "https://hub.example.com/"\n`],
  [
    ".bunfig.toml",
    '[install.scopes]\n"@envs" = { token = "t", url = "https://hub.example.com/" }\n',
  ],
] as const)("reads the mapping in the user's %s: %j", async ([name, text]) => {
  await writeFile(join(home, name), text);
  vi.stubEnv("ENVS_HUB", "https://variable.example.com");
  expect(await ownRegistry(folder, undefined)).toBe("https://hub.example.com");
});

test("prefers the workspace's mapping to the user's", async () => {
  const root = join(folder, "..");
  await writeFile(join(root, "package.json"), '{ "workspaces": ["new"] }');
  await writeFile(join(root, ".npmrc"), "@envs:registry=https://team.example.com\n");
  await writeFile(join(home, ".npmrc"), "@envs:registry=https://hub.example.com\n");
  expect(await ownRegistry(folder, undefined)).toBe("https://team.example.com");
});

test("prefers a chosen registry to those of the user, and rejects one that the project's files contradict", async () => {
  await writeFile(join(home, ".npmrc"), "@envs:registry=https://hub.example.com\n");
  vi.stubEnv("ENVS_HUB", "https://variable.example.com");
  const chosen = "https://chosen.example.com/";
  expect(await ownRegistry(folder, undefined, chosen)).toBe("https://chosen.example.com");
  await writeFile(join(folder, ".npmrc"), "@envs:registry=https://chosen.example.com/\n");
  expect(await ownRegistry(folder, undefined, chosen)).toBe("https://chosen.example.com");
  await writeFile(join(folder, ".npmrc"), "@envs:registry=https://team.example.com\n");
  await expect(ownRegistry(folder, undefined, chosen)).rejects.toThrow(
    "so package managers would not ask https://chosen.example.com. Omit --registry",
  );
  await expect(ownRegistry(folder, undefined, "my hub")).rejects.toThrow(
    '--registry is "my hub", which is not a URL.',
  );
});

test("returns ENVS_HUB without a mapping, and the fallback without both", async () => {
  await writeFile(join(home, ".npmrc"), "@other:registry=https://hub.example.com\n");
  expect(await ownRegistry(folder, "http://localhost:4873")).toBe("http://localhost:4873");
  expect(await ownRegistry(folder, undefined)).toBeUndefined();
  vi.stubEnv("ENVS_HUB", "https://variable.example.com/");
  expect(await ownRegistry(folder, undefined)).toBe("https://variable.example.com");
});

test("rejects an ENVS_HUB that is not a URL", async () => {
  vi.stubEnv("ENVS_HUB", "hub");
  await expect(ownRegistry(folder, undefined)).rejects.toThrow('ENVS_HUB is "hub"');
});

test("maps the scope in the new folder and in the root of its workspace, once", async () => {
  const root = join(folder, "..");
  await writeFile(join(root, "pnpm-workspace.yaml"), "packages: [new]\n");
  await writeFile(join(root, ".npmrc"), "save-exact=true");
  for (let times = 0; times < 2; times += 1) await mapOwnScope(folder, "http://localhost:4873");
  const line = "@envs:registry=http://localhost:4873/\n";
  expect(await readFile(join(folder, ".npmrc"), "utf8")).toBe(line);
  expect(await readFile(join(root, ".npmrc"), "utf8")).toBe(`save-exact=true\n${line}`);
  expect(await readFile(join(root, ".yarnrc.yml"), "utf8")).toBe(
    `npmScopes:\n  ${scope}:\n    npmRegistryServer: http://localhost:4873\nunsafeHttpWhitelist:\n  - localhost\n`,
  );
});
