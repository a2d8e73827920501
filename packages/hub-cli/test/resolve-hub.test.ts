import { stat } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { type CommandContext, projectRoot } from "../src/config/context.ts";
import { resolveHub } from "../src/connection/resolve-hub.ts";
import { deleteToken, readToken, saveToken } from "../src/connection/token-store.ts";
import { type TestMachine, testMachine } from "./machine.ts";

const contextOf = (
  { home, project }: TestMachine,
  variables: CommandContext["variables"] = {},
): CommandContext => ({ folder: project, home, variables });

describe("resolveHub", () => {
  test("prefers --registry to ENVS_HUB, and ENVS_HUB to a configuration file", async () => {
    await using machine = await testMachine();
    await machine.write(".npmrc", "@envs:registry=http://localhost:1/\n");
    const context = contextOf(machine, { ENVS_HUB: "http://localhost:2" });
    expect(await resolveHub(context, { registry: "http://localhost:3/" })).toEqual({
      url: "http://localhost:3",
      source: "--registry",
      isTrusted: true,
    });
    expect(await resolveHub(context)).toMatchObject({
      url: "http://localhost:2",
      source: "ENVS_HUB",
    });
    expect(await resolveHub(contextOf(machine))).toEqual({
      url: "http://localhost:1",
      source: "@envs:registry in .npmrc",
      isTrusted: false,
    });
  });

  test("selects the registry of the command's scope, else of @envs", async () => {
    await using machine = await testMachine();
    await machine.write(
      "~/.npmrc",
      "@envs:registry=http://localhost:1/\n@you:registry=http://localhost:2/\n",
    );
    const context = contextOf(machine);
    expect((await resolveHub(context, { scope: "@you" })).url).toBe("http://localhost:2");
    expect((await resolveHub(context, { scope: "@else" })).url).toBe("http://localhost:1");
    expect(await resolveHub(context)).toMatchObject({ url: "http://localhost:1", isTrusted: true });
  });

  test("reads the project's files before the user's, from a folder of the project", async () => {
    await using machine = await testMachine();
    await machine.write("~/.npmrc", "@envs:registry=http://localhost:1/\n");
    await machine.write("package.json", "{}");
    await machine.write(".npmrc", "@envs:registry=${HUB}\n");
    const context = {
      ...contextOf(machine, { HUB: "http://localhost:2" }),
      folder: join(machine.project, "src"),
    };
    expect((await resolveHub(context)).url).toBe("http://localhost:2");
  });

  test("reads .yarnrc.yml and expands its variables", async () => {
    await using machine = await testMachine();
    await machine.write(
      ".yarnrc.yml",
      'npmScopes:\n  you:\n    npmRegistryServer: "${HUB:-http://localhost:2}"\n',
    );
    expect((await resolveHub(contextOf(machine))).url).toBe("http://localhost:2");
  });

  test("reads bunfig.toml", async () => {
    await using machine = await testMachine();
    await machine.write("bunfig.toml", '[install.scopes]\nyou = { url = "http://localhost:3/" }\n');
    expect((await resolveHub(contextOf(machine))).url).toBe("http://localhost:3");
  });

  test("lists the candidates when several registries are configured", async () => {
    await using machine = await testMachine();
    await machine.write(
      "~/.npmrc",
      "@a:registry=http://localhost:1\n@b:registry=http://localhost:2\n",
    );
    await expect(resolveHub(contextOf(machine))).rejects.toThrow(
      /http:\/\/localhost:1 \(@a\)\n.*http:\/\/localhost:2 \(@b\)\n.*--registry/,
    );
  });

  test("ignores a registry below a path", async () => {
    await using machine = await testMachine();
    await machine.write("~/.npmrc", "@a:registry=https://example.com/api/npm/\n");
    await expect(resolveHub(contextOf(machine))).rejects.toThrow("No hub is configured.");
  });

  test.for([
    ["http://localhost/npm", "a hub is always at the root of its host. Use http://localhost"],
    ["localhost", "not a URL"],
  ] as const)("rejects --registry %s", async ([registry, message]) => {
    await using machine = await testMachine();
    await expect(resolveHub(contextOf(machine), { registry })).rejects.toThrow(message);
  });
});

describe("readToken", () => {
  const key = "//localhost:4873/:_authToken";
  const hub = { url: "http://localhost:4873", source: "", isTrusted: true };

  test("reads ENVS_HUB_TOKEN, else the user's .npmrc for the same host", async () => {
    await using machine = await testMachine();
    await machine.write("~/.npmrc", `${key}=\${SECRET}\n//localhost:1/:_authToken=other\n`);
    const both = contextOf(machine, { ENVS_HUB_TOKEN: "v", SECRET: "s" });
    expect(await readToken(both, hub)).toMatchObject({ token: "v" });
    expect(await readToken(contextOf(machine, { SECRET: "s" }), hub)).toMatchObject({ token: "s" });
    expect(await readToken(contextOf(machine), hub)).toBeUndefined();
  });

  test("ignores ENVS_HUB_TOKEN for a hub that only the project names", async () => {
    await using machine = await testMachine();
    const untrusted = { ...hub, isTrusted: false };
    const context = contextOf(machine, { ENVS_HUB_TOKEN: "v" });
    expect(await readToken(context, untrusted)).toBeUndefined();
    await machine.write("~/.npmrc", `${key}=mine\n`);
    expect(await readToken(context, untrusted)).toMatchObject({ token: "mine" });
  });

  test("ignores the project's .npmrc", async () => {
    await using machine = await testMachine();
    await machine.write(".npmrc", `${key}=planted\n`);
    expect(await readToken(contextOf(machine), hub)).toBeUndefined();
  });
});

describe("saveToken", () => {
  const url = "http://localhost:4873";
  const key = "//localhost:4873/:_authToken";

  test("replaces the token in the user's .npmrc with mode 0600, and deleteToken removes it", async () => {
    await using machine = await testMachine();
    const context = contextOf(machine);
    const original = "; mine\nregistry=https://packages.example.com/\n";
    await machine.write("~/.npmrc", original);
    const file = await saveToken(context, url, "envh_1");
    await saveToken(context, url, "envh_2");
    expect(await machine.read("~/.npmrc")).toBe(`${original}${key}=envh_2\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await deleteToken(context, url);
    expect(await machine.read("~/.npmrc")).toBe(original);
  });

  test("rejects a token that npm would expand", async () => {
    await using machine = await testMachine();
    await expect(saveToken(contextOf(machine), url, "${HOME}")).rejects.toThrow(
      "characters that .npmrc does not allow",
    );
  });
});

test("projectRoot returns the workspace's root for a member, else the package's folder", async () => {
  await using machine = await testMachine();
  await machine.write("package.json", JSON.stringify({ workspaces: ["packages/*"] }));
  await machine.write("packages/a/package.json", "{}");
  await machine.write("playground/package.json", "{}");
  const playground = join(machine.project, "playground");
  expect(await projectRoot(join(machine.project, "packages/a"))).toBe(machine.project);
  expect(await projectRoot(playground)).toBe(playground);
  await machine.write("pnpm-workspace.yaml", "");
  expect(await projectRoot(playground)).toBe(machine.project);
});
