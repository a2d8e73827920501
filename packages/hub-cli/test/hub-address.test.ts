import { stat } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import type { Place } from "../src/config/context.ts";
import { projectRoot } from "../src/config/context.ts";
import { whichHub } from "../src/connection/hub-address.ts";
import { dropToken, findToken, keepToken } from "../src/connection/token-store.ts";
import { type Workplace, workplace } from "./workplace.ts";

const placeIn = ({ home, project }: Workplace, variables: Place["variables"] = {}): Place => ({
  folder: project,
  home,
  variables,
});

describe("the hub of a command is", () => {
  test("the one that it names, before any other", async () => {
    await using at = await workplace();
    await at.write(".npmrc", "@envs:registry=http://localhost:1/\n");
    const place = placeIn(at, { ENVS_HUB: "http://localhost:2" });
    const named = await whichHub(place, { registry: "http://localhost:3/" });
    expect(named).toEqual({ url: "http://localhost:3", from: "--registry", isTheirs: true });
    expect(await whichHub(place)).toMatchObject({ url: "http://localhost:2", from: "ENVS_HUB" });
    expect(await whichHub(placeIn(at))).toEqual({
      url: "http://localhost:1",
      from: "@envs:registry in .npmrc",
      isTheirs: false,
    });
  });

  test("that of the scope which the command is about", async () => {
    await using at = await workplace();
    await at.write(
      "~/.npmrc",
      "@envs:registry=http://localhost:1/\n@you:registry=http://localhost:2/\n",
    );
    const place = placeIn(at);
    expect((await whichHub(place, { scope: "@you" })).url).toBe("http://localhost:2");
    expect((await whichHub(place, { scope: "@else" })).url).toBe("http://localhost:1");
    expect(await whichHub(place)).toMatchObject({ url: "http://localhost:1", isTheirs: true });
  });

  test("what the project says, before what the user says", async () => {
    await using at = await workplace();
    await at.write("~/.npmrc", "@envs:registry=http://localhost:1/\n");
    await at.write("package.json", "{}");
    await at.write(".npmrc", "@envs:registry=${HUB}\n");
    const place = {
      ...placeIn(at, { HUB: "http://localhost:2" }),
      folder: join(at.project, "src"),
    };
    expect((await whichHub(place)).url).toBe("http://localhost:2");
  });

  test("what the files of Yarn 4 and of bun say", async () => {
    await using at = await workplace();
    await at.write(
      ".yarnrc.yml",
      'npmScopes:\n  you:\n    npmRegistryServer: "${HUB:-http://localhost:2}"\n',
    );
    expect((await whichHub(placeIn(at))).url).toBe("http://localhost:2");
    await at.write(".yarnrc.yml", "");
    await at.write("bunfig.toml", '[install.scopes]\nyou = { url = "http://localhost:3/" }\n');
    expect((await whichHub(placeIn(at))).url).toBe("http://localhost:3");
  });

  test("told apart by the person where several might be meant", async () => {
    await using at = await workplace();
    await at.write("~/.npmrc", "@a:registry=http://localhost:1\n@b:registry=http://localhost:2\n");
    await expect(whichHub(placeIn(at))).rejects.toThrow(
      /http:\/\/localhost:1 \(@a\)\n.*http:\/\/localhost:2 \(@b\)\n.*--registry/,
    );
  });

  test("never a registry below a path, as no hub stands there", async () => {
    await using at = await workplace();
    await at.write("~/.npmrc", "@a:registry=https://example.com/api/npm/\n");
    await expect(whichHub(placeIn(at))).rejects.toThrow("Which hub?");
    await expect(whichHub(placeIn(at), { registry: "http://localhost/npm" })).rejects.toThrow(
      "a hub stands at the root of its host: http://localhost",
    );
    await expect(whichHub(placeIn(at), { registry: "localhost" })).rejects.toThrow(
      "not an address",
    );
  });
});

describe("a token is", () => {
  const key = "//localhost:4873/:_authToken";
  const hub = { url: "http://localhost:4873", from: "", isTheirs: true };

  test("that of the variable, else that of the user's .npmrc for this very host", async () => {
    await using at = await workplace();
    await at.write("~/.npmrc", `${key}=\${SECRET}\n//localhost:1/:_authToken=other\n`);
    expect(await findToken(placeIn(at, { ENVS_HUB_TOKEN: "v", SECRET: "s" }), hub)).toMatchObject({
      token: "v",
    });
    expect(await findToken(placeIn(at, { SECRET: "s" }), hub)).toMatchObject({ token: "s" });
    expect(await findToken(placeIn(at), hub)).toBeUndefined();
  });

  test("never that of the variable for a hub that the project alone names", async () => {
    await using at = await workplace();
    const strangers = { ...hub, isTheirs: false };
    expect(await findToken(placeIn(at, { ENVS_HUB_TOKEN: "v" }), strangers)).toBeUndefined();
    await at.write("~/.npmrc", `${key}=mine\n`);
    expect(await findToken(placeIn(at, { ENVS_HUB_TOKEN: "v" }), strangers)).toMatchObject({
      token: "mine",
    });
  });

  test("never one of a project's file", async () => {
    await using at = await workplace();
    await at.write(".npmrc", `${key}=planted\n`);
    expect(await findToken(placeIn(at), hub)).toBeUndefined();
  });

  test("kept in the user's .npmrc, for the user's eyes alone", async () => {
    await using at = await workplace();
    await at.write("~/.npmrc", "; mine\nregistry=https://packages.example.com/\n");
    const file = await keepToken(placeIn(at), hub.url, "envh_1");
    await keepToken(placeIn(at), hub.url, "envh_2");
    expect(await at.read("~/.npmrc")).toBe(
      `; mine\nregistry=https://packages.example.com/\n${key}=envh_2\n`,
    );
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await dropToken(placeIn(at), hub.url);
    expect(await at.read("~/.npmrc")).toBe("; mine\nregistry=https://packages.example.com/\n");
  });

  test("refused when an .npmrc would read it as something else", async () => {
    await using at = await workplace();
    await expect(keepToken(placeIn(at), hub.url, "${HOME}")).rejects.toThrow("cannot hold");
  });
});

test("a project's root is that of its workspace, if it belongs to one", async () => {
  await using at = await workplace();
  await at.write("package.json", JSON.stringify({ workspaces: ["packages/*"] }));
  await at.write("packages/a/package.json", "{}");
  await at.write("playground/package.json", "{}");
  expect(await projectRoot(join(at.project, "packages/a"))).toBe(at.project);
  expect(await projectRoot(join(at.project, "playground"))).toBe(join(at.project, "playground"));
  await at.write("pnpm-workspace.yaml", "");
  expect(await projectRoot(join(at.project, "playground"))).toBe(at.project);
});
