import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type EnvironmentManifest, hubClient } from "@envs/hub-client";
import { seedEnvironment } from "@envs/hub-server/testing/seed-environment";
import { sharedHub } from "@envs/hub-server/testing/shared-hub";
import { expect, test } from "vitest";

import { envs } from "../../cli/test/command.ts";
import { lettersPackage } from "../../cli/test/evaluation/letters.ts";
import { comparePublished } from "../src/publish/compare-published.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const name = "@you/letters";
let token: string;

/** The package at a version, with its manifest. `grade` is the code of its reward. */
async function packageAt(
  version: string,
  grade = "Number(reply === prompt)",
): Promise<{ readonly root: string; readonly manifest: EnvironmentManifest }> {
  const root = await lettersPackage({
    packageJson: { name, version, files: ["dist", "data", "envs.manifest.json"] },
    files: { "dist/grade.js": `export const grade = (reply, { prompt }) => ${grade};\n` },
  });
  const { code, stderr } = await envs(["build", root]);
  expect(code, stderr).toBe(0);
  const manifest = JSON.parse(await readFile(join(root, "envs.manifest.json"), "utf8"));
  return { root, manifest: manifest as EnvironmentManifest };
}

let isPublished = false;

/** Publishes version 1.2.3 and pushes a run of it, once. */
async function publish(): Promise<void> {
  if (isPublished) return;
  const owner = await server.createUser("you");
  ({ token } = owner);
  const { root, manifest } = await packageAt("1.2.3");
  await seedEnvironment(server.hub, owner, { bare: "letters", versions: ["1.2.3"], manifest });
  const args = ["eval", root, "-m", "policy:right", "-r", "1", "--push", "--quiet"];
  const variables = { ENVS_HUB: server.url, ENVS_HUB_TOKEN: token };
  const { code, stderr } = await envs([...args, "--save", join(root, "outputs")], "", variables);
  expect(code, stderr).toBe(0);
  isPublished = true;
}

const client = (fetch?: typeof globalThis.fetch) => hubClient({ url: server.url, token, fetch });

test("warns of a patch version that gives other rewards to the rollouts on the hub", async () => {
  await publish();
  const { root } = await packageAt("1.2.4", "0");
  const warnings = await comparePublished({ client: client(), root, name, version: "1.2.4" });
  expect(warnings).toEqual([
    expect.stringContaining(
      "1.2.4 follows 1.2.3, but this is a major change: recorded rollouts get other rewards or messages. Of 4 rollouts on the hub, 4 get other scores",
    ),
  ]);
  expect(await comparePublished({ client: client(), root, name, version: "2.0.0" })).toEqual([]);
});

test("does not warn of a patch version that gives the same rewards", async () => {
  await publish();
  const { root } = await packageAt("1.2.4");
  expect(await comparePublished({ client: client(), root, name, version: "1.2.4" })).toEqual([]);
});

test("does not warn of a package that the hub does not have", async () => {
  await publish();
  const { root } = await packageAt("1.2.4");
  const comparison = { client: client(), root, name: "@you/words", version: "1.2.4" };
  expect(await comparePublished(comparison)).toEqual([]);
});

test("warns that the rewards are not compared when the hub does not return the rollouts", async () => {
  await publish();
  const { root } = await packageAt("1.2.4", "0");
  const broken = client(async (input, init) => {
    const { pathname } = new URL(input as string);
    return pathname.endsWith("/rows") ? new Response("", { status: 502 }) : fetch(input, init);
  });
  expect(await comparePublished({ client: broken, root, name, version: "1.2.4" })).toEqual([
    expect.stringMatching(
      /^Cannot compare the rewards of 1\.2\.4 with those of 1\.2\.3: .* responded with 502.* envs run replay/,
    ),
  ]);
});

test("warns that the rewards are not compared when the package does not load", async () => {
  await publish();
  const { root } = await packageAt("1.2.4");
  await writeFile(join(root, "dist/grade.js"), "throw new Error('no dictionary');\n");
  const [warning] = await comparePublished({ client: client(), root, name, version: "1.2.4" });
  expect(warning).toMatch(/^Cannot compare the rewards of 1\.2\.4 .*no dictionary/s);
});
