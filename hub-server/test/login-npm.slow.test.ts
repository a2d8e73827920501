import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { isToken } from "../src/identity/credentials/secret.ts";
import { type TestHub, testHub } from "./support/hub.ts";
import { makePerson, password, type Person, enableSecondFactor } from "./support/person.ts";

const { resolve } = createRequire(import.meta.url);
const npmCli = join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js");

let server: TestHub;
let ada: Person;
let home: string;

beforeAll(async () => {
  server = await testHub("server");
  ada = await makePerson(server, "ada");
  home = await mkdtemp(join(tmpdir(), "envs-npm-"));
  await writeFile(join(home, ".npmrc"), `registry=${server.url}/\nupdate-notifier=false\n`);
});
afterAll(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
});

/** Runs npm with a temporary home folder. */
async function npm(
  args: readonly string[],
  onOutput?: (printed: string) => void,
): Promise<{ readonly code: number; readonly output: string }> {
  const child = spawn(process.execPath, [npmCli, ...args], {
    cwd: home,
    env: { HOME: home, PATH: dirname(process.execPath), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += String(chunk);
      onOutput?.(output);
    });
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

/** Logs in by web: opens the page that npm prints in a browser, and presses the button. */
async function login(button: "Approve" | "Deny") {
  const tab = await ada.signIn();
  let visit: Promise<unknown> | undefined;
  return await npm(["login", "--auth-type=web"], (printed) => {
    const [, path] = /(\/approve\/[A-Z]{4}-[A-Z]{4})\s/.exec(printed) ?? [];
    if (path !== undefined) visit ??= tab.open(path).then(() => tab.press(button));
  });
}

test("npm logs in by web, shows the user, lists and creates tokens, and logs out", async () => {
  expect((await npm(["whoami"])).code).toBe(1);
  expect(await login("Approve")).toMatchObject({
    code: 0,
    output: expect.stringContaining("Logged in"),
  });
  const [, token = ""] =
    /_authToken=(\S+)/.exec(await readFile(join(home, ".npmrc"), "utf8")) ?? [];
  expect(isToken(token)).toBe(true);
  expect((await npm(["whoami"])).output).toContain("ada");
  expect((await npm(["profile", "get", "email"])).output).toContain("ada@example.com");

  const create = ["token", "create", "--name=ci", `--password=${password}`, "--json"];
  const created = await npm([...create, "--cidr=127.0.0.0/8", "--expires=30"]);
  expect(created.code).toBe(0);
  const list = await npm(["token", "list", "--json"]);
  const tokens = JSON.parse(list.output) as readonly {
    readonly key: string;
    readonly name: string;
  }[];
  const key = tokens.find(({ name }) => name === "ci")?.key ?? "";
  expect(await npm(["token", "revoke", key.slice(0, 8)])).toMatchObject({ code: 0 });
  expect((await npm(["token", "list"])).output).not.toContain("name ci");

  expect((await npm(["logout"])).code).toBe(0);
  expect((await server.request("/-/whoami", { as: { token } })).status).toBe(401);
});

test("npm login fails when the browser denies it", async () => {
  expect((await login("Deny")).code).not.toBe(0);
  expect((await npm(["whoami"])).code).toBe(1);
});

test("npm prints the approval page without a terminal, and accepts --otp", async () => {
  const app = await enableSecondFactor(server, ada);
  await writeFile(
    join(home, ".npmrc"),
    `registry=${server.url}/\n${server.url.replace("http:", "")}/:_authToken=${ada.token}\n`,
  );
  const set = (...more: readonly string[]) => npm(["profile", "set", "fullname", "Ada", ...more]);
  const result = await set();
  expect([result.code, result.output]).toEqual([
    1,
    expect.stringContaining(`${server.url}/approve/`),
  ]);
  expect((await set("--auth-type=legacy")).output).toContain("--otp=<code>");
  expect((await set(`--otp=${app.code()}`)).output).toContain("Set fullname to Ada");
});
