import type { Browser } from "@envs/hub-server/testing/browser";
import { makePerson, password, enableSecondFactor } from "@envs/hub-server/testing/person";
import { seedOwnPackage } from "@envs/hub-server/testing/seed-package";
import { describe, expect } from "vitest";

import { test as base } from "./fixtures.ts";
import { type TestMachine, testMachine } from "./machine.ts";

const test = base.extend("loggedInMachine", ({ hub, ada }) =>
  /** Creates a machine on which ada is logged in. */
  async (): Promise<TestMachine> => {
    const machine = await testMachine();
    await machine.write(
      "~/.npmrc",
      `@ada:registry=${hub.url}/\n//${new URL(hub.url).host}/:_authToken=${ada.token}\n`,
    );
    return machine;
  },
);

/** Returns an output handler that opens the printed page and presses a button there. */
function pressOnPage(tab: Browser, button: string): (output: string) => void {
  let visit: Promise<unknown> | undefined;
  return (output) => {
    const [, path] = /(\/approve\/[A-Z]{4}-[A-Z]{4})\s/.exec(output) ?? [];
    if (path !== undefined) visit ??= tab.open(path).then(() => tab.press(button));
  };
}

describe("envs hub login", () => {
  test("prints a page with its code, and saves the token in the user's .npmrc", async ({
    hub,
    ada,
  }) => {
    await using machine = await testMachine();
    const tab = await ada.signIn();
    const { code, stdout, stderr } = await machine.envs(
      ["hub", "login", "--registry", hub.url, "--scope", "@ada"],
      { onOutput: pressOnPage(tab, "Approve") },
    );
    expect(code).toBe(0);
    const [, comparisonCode] = /compare the code: (\S+)/.exec(stderr) ?? [];
    expect(stderr).toContain(`/approve/${comparisonCode}`);
    expect(stdout).toContain(`Logged in to ${hub.url} as ada`);
    expect(await machine.read("~/.npmrc")).toMatch(
      new RegExp(`^//\\S+:_authToken=envh_\\w+\n@ada:registry=${hub.url}/\n$`),
    );
    expect(await machine.read(".npmrc")).toBe("");
    expect(stdout + stderr).not.toMatch(/envh_/);
    expect((await machine.envs(["hub", "whoami"])).stdout).toBe("ada\n");
  });

  test("fails and saves nothing when the user denies it in the browser", async ({ hub, ada }) => {
    await using machine = await testMachine();
    const tab = await ada.signIn();
    const { code, stderr } = await machine.envs(["hub", "login", "--registry", hub.url], {
      onOutput: pressOnPage(tab, "Deny"),
    });
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("denied in the browser"),
    });
    expect(await machine.read("~/.npmrc")).toBe("");
  });

  test("fails and saves nothing after Ctrl-C", async ({ hub }) => {
    await using machine = await testMachine();
    const { code, stderr } = await machine.envs(["hub", "login", "--registry", hub.url], {
      onOutput: (output, interrupt) => {
        if (/\/approve\/\S+\n$/.test(output)) interrupt();
      },
    });
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/✗ Interrupted\. Nothing was changed\.\n$/),
    });
    expect(await machine.read("~/.npmrc")).toBe("");
  });

  test("reads a password from stdin", async ({ hub }) => {
    await using machine = await testMachine();
    const words = ["hub", "login", "--password", "--user", "ada", "--registry", hub.url];
    const wrong = await machine.envs(words, { input: "guess\n" });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("password is wrong") });
    const missing = await machine.envs(words);
    expect(missing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Missing password."),
    });
    const { user, file } = await machine.json<{ user: string; file: string }>(words, {
      input: `${password}\n`,
    });
    expect(user).toBe("ada");
    expect(file.startsWith(machine.home)).toBe(true);
  });

  test("fails when nothing listens at the address", async () => {
    await using machine = await testMachine();
    const result = await machine.envs(["hub", "login", "--registry", "http://localhost:1"]);
    expect(result).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("http://localhost:1"),
    });
  });
});

test("envs hub logout revokes the token and removes it from the .npmrc", async ({ hub }) => {
  await using machine = await testMachine();
  await machine.envs(["hub", "login", "--password", "--user", "ada", "--registry", hub.url], {
    input: password,
  });
  const npmrc = await machine.read("~/.npmrc");
  const token = /_authToken=(\S+)/.exec(npmrc)?.[1] ?? "";
  const { code, stdout } = await machine.envs(["hub", "logout", "--registry", hub.url]);
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Revoked the token, and removed it from ~/.npmrc."),
  });
  expect(await machine.read("~/.npmrc")).toBe("");
  expect((await hub.request("/-/whoami", { as: { token } })).status).toBe(401);
  const again = await machine.envs(["hub", "logout", "--registry", hub.url]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("not logged in") });
});

test("envs hub token creates a token after approval, lists it without its secret, and revokes it", async ({
  hub,
  ada,
  loggedInMachine,
}) => {
  await using machine = await loggedInMachine();
  const tab = await ada.signIn();
  const limits = ["--expires", "30", "--read-only", "--cidr", "127.0.0.0/8", "--scopes", "@ada"];
  const created = await machine.envs(["hub", "token", "create", "--name", "ci", ...limits], {
    onOutput: pressOnPage(tab, "Approve"),
  });
  expect(created.code).toBe(0);
  const [secret = ""] = /envh_\w+/.exec(created.stdout) ?? [];
  const variables = { ENVS_HUB: hub.url, ENVS_HUB_TOKEN: secret };
  expect((await machine.envs(["hub", "whoami"], { variables })).stdout).toBe("ada\n");
  const listed = await machine.envs(["hub", "token"]);
  expect(listed.stdout).toMatch(/ci .* read @ada\/\* from 127\.0\.0\.0\/8/);
  expect(listed.stdout).not.toContain(secret);
  const { tokens } = await machine.json<{ tokens: { key: string; name: string }[] }>([
    "hub",
    "token",
    "list",
  ]);
  const key = tokens.find(({ name }) => name === "ci")?.key ?? "";
  expect((await machine.envs(["hub", "token", "revoke", key])).code).toBe(0);
  const again = await machine.envs(["hub", "token", "revoke", key]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("You have no token") });
  const revoked = await machine.envs(["hub", "whoami"], { variables });
  expect(revoked).toMatchObject({ code: 1, stderr: expect.stringContaining("revoked") });
});

test("--otp passes a one-time password; a wrong one is rejected", async ({ hub }) => {
  const grace = await makePerson(hub, "grace");
  const { code } = await enableSecondFactor(hub, grace);
  await using machine = await testMachine();
  const variables = { ENVS_HUB: hub.url, ENVS_HUB_TOKEN: grace.token, CI: "1" };
  const create = ["hub", "org", "create", "foundry"];
  const missing = await machine.envs(create, { variables });
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("--otp=<code>") });
  const wrong = await machine.envs([...create, "--otp", "000000"], { variables });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("wrong") });
  expect((await machine.envs([...create, "--otp", code()], { variables })).code).toBe(0);
});

test("envs hub org creates an organisation, and adds, changes and removes members", async ({
  hub,
  loggedInMachine,
}) => {
  await makePerson(hub, "bob");
  await using machine = await loggedInMachine();
  const org = async (...words: readonly string[]): Promise<string> =>
    (await machine.envs(["hub", "org", ...words])).stdout;
  expect(await org("create", "lab")).toContain("Created lab, which owns the scope @lab.");
  expect(await org("add", "lab", "bob")).toContain("bob is in lab as developer");
  expect(await org("role", "lab", "bob", "admin")).toContain("as admin");
  expect(await org("list", "@lab")).toMatch(/ada +owner\nbob +admin/);
  expect(await org()).toBe("lab  owner\n");
  expect(await org("remove", "lab", "bob")).toContain("Removed bob from lab.");
  expect(await org("list", "lab")).not.toContain("bob");
});

test.for([
  [["role", "lab", "bob"], "Missing role. Write: envs hub org role <organisation> <user> <role>"],
  [["add", "lab"], "Missing user. Write: envs hub org add"],
  [["create"], "Missing organisation. Write: envs hub org create"],
  [
    ["role", "lab", "bob", "king"],
    'Unknown role "king". It must be one of: developer, admin, owner.',
  ],
] as const)("envs hub org rejects %j", async ([words, message], { loggedInMachine }) => {
  await using machine = await loggedInMachine();
  const result = await machine.envs(["hub", "org", ...words]);
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test("envs hub star adds, lists and removes a star", async ({ hub, ada, loggedInMachine }) => {
  await seedOwnPackage(hub.hub, ada, { bare: "stellar" });
  await using machine = await loggedInMachine();
  expect((await machine.envs(["hub", "star", "@ada/stellar"])).code).toBe(0);
  expect((await machine.envs(["hub", "star", "--list"])).stdout).toBe("@ada/stellar\n");
  expect((await machine.envs(["hub", "star", "@ada/stellar", "--remove"])).code).toBe(0);
  expect((await machine.envs(["hub", "star", "--list"])).stdout).toBe(
    "You have starred no packages.\n",
  );
  const missing = await machine.envs(["hub", "star", "@ada/nothing"]);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("envs search") });
});

test.for([
  ["hub", "whoami"],
  ["hub", "star", "x"],
  ["hub", "token"],
  ["hub", "org"],
])("envs %s requires a login", async (words, { hub }) => {
  await using machine = await testMachine();
  const { code, stderr } = await machine.envs([...words, "--registry", hub.url]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `✗ You are not logged in to ${hub.url}. Run: envs hub login --registry ${hub.url}\n`,
  });
});
