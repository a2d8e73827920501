import { type TestHub, testHub } from "@envs/hub-testing/hub";
import { makePerson, type Person } from "@envs/hub-testing/person";
import { afterAll, beforeAll, expect, test } from "vitest";

import { workplace } from "./workplace.ts";

let hub: TestHub;
let ada: Person;

beforeAll(async () => {
  hub = await testHub("embedded");
  ada = await makePerson(hub, "ada");
});
afterAll(() => hub.close());

test("the doctor says what each package manager would do, and keeps the token to itself", async () => {
  await using at = await workplace(["npm", "pnpm", "yarn4"]);
  const { host } = new URL(hub.url);
  await at.write(
    "~/.npmrc",
    `@ada:registry=${hub.url}/\n//${host}/:_authToken=${ada.token}\nmin-release-age=2\n`,
  );
  await at.write("package.json", "{}");
  const { code, stdout, stderr } = await at.envs(["doctor"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  const part = (name: string): string =>
    stdout.split("\n\n").find((each) => each.startsWith(name)) ?? "";
  expect(part(hub.url)).toContain("✓ you are ada");
  expect(part(hub.url)).toContain("✓ it signs");
  expect(part(hub.url)).toContain("✓ it tells of what happens");
  expect(part("npm")).toContain("the package manager of this project");
  expect(part("npm")).toContain(`✓ @ada comes from ${hub.url} (~/.npmrc)`);
  expect(part("npm")).toContain("2 days old (min-release-age)");
  expect(part("pnpm")).toContain("✓ it has a token");
  expect(part("pnpm")).toContain("1 day old where there are any (minimumReleaseAge)");
  expect(part("Yarn")).toContain("✗ nothing says where @ada comes from. Write into .yarnrc.yml");
  expect(stdout).toContain("not on this machine: bun");
  expect(part("files")).toContain("chmod 600");
  expect(stdout + stderr).not.toContain(ada.token);
});

test("the doctor fails where this project's package manager would", async () => {
  await using at = await workplace(["npm", "yarn4"]);
  await at.write("package.json", "{}");
  await at.write("yarn.lock", "");
  await at.write(".yarnrc.yml", `npmScopes:\n  ada:\n    npmRegistryServer: ${hub.url}\n`);
  const http = await at.envs(["doctor"]);
  expect(http).toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`✗ Yarn 4 speaks plain HTTP`),
  });
  await at.write(
    ".yarnrc.yml",
    `npmScopes:\n  ada:\n    npmRegistryServer: ${hub.url}\nunsafeHttpWhitelist: ["127.*"]\n`,
  );
  const { isWell } = await at.json<{ isWell: boolean }>(["doctor"]);
  expect(isWell).toBe(true);
});

test("the doctor finds a token in a project's file, and works where nothing answers", async () => {
  await using at = await workplace(["npm"]);
  await at.write("package.json", "{}");
  await at.write(
    ".npmrc",
    "@ada:registry=http://localhost:1/\n//localhost:1/:_authToken=planted\n",
  );
  const { code, stdout } = await at.envs(["doctor"]);
  expect(code).toBe(1);
  expect(stdout).toContain("✗ http://localhost:1 does not respond");
  expect(stdout).toContain("✓ @ada comes from http://localhost:1 (.npmrc)");
  expect(stdout).toContain("✗ .npmrc holds a token");
  expect(stdout).not.toContain("planted");
});
