import { expect } from "vitest";

import { test } from "./fixtures.ts";
import { testMachine } from "./machine.ts";

test("envs hub doctor reports the settings of each package manager without the token", async ({
  hub,
  ada,
}) => {
  await using machine = await testMachine(["npm", "pnpm", "yarn4"]);
  const { host } = new URL(hub.url);
  await machine.write(
    "~/.npmrc",
    `@ada:registry=${hub.url}/\n//${host}/:_authToken=${ada.token}\nmin-release-age=2\n`,
  );
  await machine.write("package.json", "{}");
  const { code, stdout, stderr } = await machine.envs(["hub", "doctor"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
  const section = (title: string): string =>
    stdout.split("\n\n").find((text) => text.startsWith(title)) ?? "";
  expect(section(hub.url)).toContain("✓ you are ada");
  expect(section(hub.url)).toContain("✓ it signs packages with one key");
  expect(section(hub.url)).toMatch(/✓ its event log has \d+ events/);
  expect(section("npm")).toContain("the package manager of this project");
  expect(section("npm")).toContain(`✓ @ada comes from ${hub.url} (~/.npmrc)`);
  expect(section("npm")).toContain(
    "accepts only versions that are at least 2 days old (min-release-age)",
  );
  expect(section("pnpm")).toContain("✓ it has a token");
  expect(section("pnpm")).toContain(
    "prefers versions that are at least 1 day old (minimumReleaseAge)",
  );
  expect(section("Yarn")).toContain(
    "✗ no registry is configured for @ada. Add to .yarnrc.yml: npmScopes",
  );
  expect(stdout).toContain("not installed: bun");
  expect(section("files")).toContain("chmod 600");
  expect(stdout + stderr).not.toContain(ada.token);
});

test("envs hub doctor fails when this project's package manager has a problem", async ({ hub }) => {
  await using machine = await testMachine(["npm", "yarn4"]);
  await machine.write("package.json", "{}");
  await machine.write("yarn.lock", "");
  await machine.write(".yarnrc.yml", `npmScopes:\n  ada:\n    npmRegistryServer: ${hub.url}\n`);
  const http = await machine.envs(["hub", "doctor"]);
  expect(http).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("✗ Yarn 4 does not allow plain HTTP"),
  });
  await machine.write(
    ".yarnrc.yml",
    `npmScopes:\n  ada:\n    npmRegistryServer: ${hub.url}\nunsafeHttpWhitelist: ["127.*"]\n`,
  );
  const { isWell } = await machine.json<{ isWell: boolean }>(["hub", "doctor"]);
  expect(isWell).toBe(true);
});

test("envs hub doctor finds a token in the project's .npmrc, also when the hub is unreachable", async () => {
  await using machine = await testMachine(["npm"]);
  await machine.write("package.json", "{}");
  await machine.write(
    ".npmrc",
    "@ada:registry=http://localhost:1/\n//localhost:1/:_authToken=planted\n",
  );
  const { code, stdout } = await machine.envs(["hub", "doctor"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^http:\/\/localhost:1 .*\n {2}✗ .*http:\/\/localhost:1/);
  expect(stdout).toContain("✓ @ada comes from http://localhost:1 (.npmrc)");
  expect(stdout).toContain("✗ .npmrc contains a token");
  expect(stdout).not.toContain("planted");
});
