import type { Browser } from "@envs/hub-testing/browser";
import { type TestHub, testHub } from "@envs/hub-testing/hub";
import { makePerson, password, type Person, secondFactorOf } from "@envs/hub-testing/person";
import { seedOwnPackage } from "@envs/hub-testing/seed-package";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Workplace, workplace } from "./workplace.ts";

let hub: TestHub;
let ada: Person;

beforeAll(async () => {
  hub = await testHub("embedded");
  ada = await makePerson(hub, "ada");
});
afterAll(() => hub.close());

/** A workplace where ada is logged in. */
async function adasPlace(): Promise<Workplace> {
  const at = await workplace();
  await at.write(
    "~/.npmrc",
    `@ada:registry=${hub.url}/\n//${new URL(hub.url).host}/:_authToken=${ada.token}\n`,
  );
  return at;
}

/** Opens the page that is printed, and presses a button there. */
function visitor(tab: Browser, button: string): (printed: string) => void {
  let visit: Promise<unknown> | undefined;
  return (printed) => {
    const [, path] = /(\/approve\/[A-Z]{4}-[A-Z]{4})\s/.exec(printed) ?? [];
    if (path !== undefined) visit ??= tab.open(path).then(() => tab.press(button));
  };
}

describe("login", () => {
  test("prints a page and its code, waits, and keeps the token out of the project", async () => {
    await using at = await workplace();
    const tab = await ada.signIn();
    const { code, stdout, stderr } = await at.envs(
      ["login", "--registry", hub.url, "--scope", "@ada"],
      { onOutput: visitor(tab, "Approve") },
    );
    expect(code).toBe(0);
    const [, shown] = /compare the code: (\S+)/.exec(stderr) ?? [];
    expect(stderr).toContain(`/approve/${shown}`);
    expect(stdout).toContain(`Logged in to ${hub.url} as ada`);
    expect(await at.read("~/.npmrc")).toMatch(
      new RegExp(`^//\\S+:_authToken=envh_\\w+\n@ada:registry=${hub.url}/\n$`),
    );
    expect(await at.read(".npmrc")).toBe("");
    expect(stdout + stderr).not.toMatch(/envh_/);
    expect((await at.envs(["whoami"])).stdout).toBe("ada\n");
  });

  test("says that it was denied, and keeps nothing", async () => {
    await using at = await workplace();
    const tab = await ada.signIn();
    const { code, stderr } = await at.envs(["login", "--registry", hub.url], {
      onOutput: visitor(tab, "Deny"),
    });
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("denied in the browser"),
    });
    expect(await at.read("~/.npmrc")).toBe("");
  });

  test("ends at Ctrl-C, and keeps nothing", async () => {
    await using at = await workplace();
    const { code, stderr } = await at.envs(["login", "--registry", hub.url], {
      onOutput: (printed, interrupt) => {
        if (/\/approve\/\S+\n$/.test(printed)) interrupt();
      },
    });
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/✗ Interrupted\. Nothing was changed\.\n$/),
    });
    expect(await at.read("~/.npmrc")).toBe("");
  });

  test("takes a password, which is piped in", async () => {
    await using at = await workplace();
    const words = ["login", "--password", "--user", "ada", "--registry", hub.url];
    const wrong = await at.envs(words, { input: "guess\n" });
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("password is wrong") });
    const none = await at.envs(words);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("no password") });
    const { user, file } = await at.json<{ user: string; file: string }>(words, {
      input: `${password}\n`,
    });
    expect(user).toBe("ada");
    expect(file.startsWith(at.home)).toBe(true);
  });

  test("says what stands at an address that is no hub", async () => {
    await using at = await workplace();
    const nobody = await at.envs(["login", "--registry", "http://localhost:1"]);
    expect(nobody).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing answers") });
  });
});

test("logout revokes the token and takes it out of the file", async () => {
  await using at = await workplace();
  await at.envs(["login", "--password", "--user", "ada", "--registry", hub.url], {
    input: password,
  });
  const npmrc = await at.read("~/.npmrc");
  const token = /_authToken=(\S+)/.exec(npmrc)?.[1] ?? "";
  const { code, stdout } = await at.envs(["logout", "--registry", hub.url]);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("revoked") });
  expect(await at.read("~/.npmrc")).toBe("");
  expect((await hub.ask("/-/whoami", { as: { token } })).status).toBe(401);
  const again = await at.envs(["logout", "--registry", hub.url]);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("not logged in") });
});

test("a token is made after approval in the browser, listed without its secret, and revoked", async () => {
  await using at = await adasPlace();
  const tab = await ada.signIn();
  const limits = ["--expires", "30", "--read-only", "--cidr", "127.0.0.0/8", "--scopes", "@ada"];
  const made = await at.envs(["token", "create", "--name", "ci", ...limits], {
    onOutput: visitor(tab, "Approve"),
  });
  expect(made.code).toBe(0);
  const [secret = ""] = /envh_\w+/.exec(made.stdout) ?? [];
  const variables = { ENVS_HUB: hub.url, ENVS_HUB_TOKEN: secret };
  expect((await at.envs(["whoami"], { variables })).stdout).toBe("ada\n");
  const listed = await at.envs(["token"]);
  expect(listed.stdout).toMatch(/ci .* read @ada\/\* from 127\.0\.0\.0\/8/);
  expect(listed.stdout).not.toContain(secret);
  const { tokens } = await at.json<{ tokens: { key: string; name: string }[] }>(["token", "list"]);
  const key = tokens.find(({ name }) => name === "ci")?.key ?? "";
  expect((await at.envs(["token", "revoke", key])).code).toBe(0);
  const again = await at.envs(["token", "revoke", key]);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("You have no token") });
  const over = await at.envs(["whoami"], { variables });
  expect(over).toMatchObject({ code: 1, stderr: expect.stringContaining("revoked") });
});

test("a one-time password is given beforehand, and a wrong one is told", async () => {
  const grace = await makePerson(hub, "grace");
  const { code } = await secondFactorOf(hub, grace);
  await using at = await workplace();
  const variables = { ENVS_HUB: hub.url, ENVS_HUB_TOKEN: grace.token, CI: "1" };
  const create = ["org", "create", "foundry"];
  const unproven = await at.envs(create, { variables });
  expect(unproven).toMatchObject({ code: 1, stderr: expect.stringContaining("--otp=<code>") });
  const wrong = await at.envs([...create, "--otp", "000000"], { variables });
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("wrong") });
  expect((await at.envs([...create, "--otp", code()], { variables })).code).toBe(0);
});

test("an organisation is made, gets members, and loses them", async () => {
  await makePerson(hub, "bob");
  await using at = await adasPlace();
  expect((await at.envs(["org", "create", "lab"])).stdout).toContain("the scope @lab");
  expect((await at.envs(["org", "add", "lab", "bob"])).stdout).toContain(
    "bob is in lab as developer",
  );
  expect((await at.envs(["org", "role", "lab", "bob", "admin"])).stdout).toContain("as admin");
  expect((await at.envs(["org", "list", "@lab"])).stdout).toMatch(/ada +owner\nbob +admin/);
  expect((await at.envs(["org"])).stdout).toBe("lab  owner\n");
  expect((await at.envs(["org", "remove", "lab", "bob"])).code).toBe(0);
  expect((await at.envs(["org", "list", "lab"])).stdout).not.toContain("bob");
  const unclear = await at.envs(["org", "role", "lab", "bob"]);
  expect(unclear).toMatchObject({ code: 2, stderr: expect.stringContaining("envs org role") });
  const unknown = await at.envs(["org", "role", "lab", "bob", "king"]);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("developer, admin") });
});

test("a package is starred, listed, and not starred any more", async () => {
  await seedOwnPackage(hub.hub, ada, { bare: "stellar" });
  await using at = await adasPlace();
  expect((await at.envs(["star", "@ada/stellar"])).code).toBe(0);
  expect((await at.envs(["star", "--list"])).stdout).toBe("@ada/stellar\n");
  expect((await at.envs(["star", "@ada/stellar", "--remove"])).code).toBe(0);
  expect((await at.envs(["star", "--list"])).stdout).toBe("No stars yet.\n");
  const nothing = await at.envs(["star", "@ada/nothing"]);
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringContaining("envs search") });
});

test("who is not logged in is told how", async () => {
  await using at = await workplace();
  for (const words of [["whoami"], ["star", "x"], ["token"], ["org"]]) {
    const { code, stderr } = await at.envs([...words, "--registry", hub.url]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `✗ You are not logged in to ${hub.url}. Run: envs login --registry ${hub.url}\n`,
    });
  }
});
