import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { newToken } from "../src/identity/credentials/secret.ts";
import { readSettings, settingsHelp } from "../src/platform/config/read-settings.ts";
import { settings } from "../src/platform/config/settings.ts";
import { redactUrl } from "../src/platform/http/logging.ts";

test("defaults to an embedded database, loopback and invitations", () => {
  expect(readSettings({})).toMatchObject({
    HUB_PORT: 4873,
    HUB_HOST: "localhost",
    HUB_DATA: "hub-data",
    HUB_REGISTRATION: "invite",
  });
  expect(readSettings({ DATABASE_URL: "", HUB_PORT: "" })).not.toHaveProperty("DATABASE_URL");
});

test.each([
  [{ HUB_PORT: "many" }, 'HUB_PORT: Invalid input: expected number, received NaN, not "many"'],
  [{ HUB_PORT: "70000" }, "HUB_PORT"],
  [{ DATABASE_URL: "mysql://somewhere/hub" }, "DATABASE_URL: Invalid URL"],
  [{ HUB_BLOBS: "/a/folder" }, "HUB_BLOBS: Invalid URL"],
  [
    { HUB_URL: "https://example.com/hub/" },
    "HUB_URL: npm clients need a hub at the root of its host",
  ],
  [
    { HUB_REGISTRATION: "everyone" },
    'HUB_REGISTRATION: Invalid option: expected one of "closed"|"invite"|"open", not "everyone"',
  ],
  [
    { HUB_TRUST_PROXY: "true" },
    "HUB_TRUST_PROXY: expected comma-separated addresses such as 10.0.0.0/8",
  ],
  [{ HUB_TRUST_PROXY: "127.0.0.1, 10.0.0.0/80" }, "HUB_TRUST_PROXY"],
  [{ HUB_PROT: "80" }, "HUB_PROT: unknown setting"],
])("names the invalid setting of %o", (variables, message) => {
  expect(() => readSettings(variables)).toThrow(message);
});

test("trusts proxies by address, network or keyword", () => {
  for (const HUB_TRUST_PROXY of ["10.0.0.1", "10.0.0.0/8, ::1", "fd00::/8", "loopback,uniquelocal"])
    expect(readSettings({ HUB_TRUST_PROXY })).toMatchObject({ HUB_TRUST_PROXY });
});

test("does not print a password in a URL", () => {
  const variables = { DATABASE_URL: "mysql://hub:pa55word@somewhere" };
  expect(() => readSettings(variables)).toThrow(/^(?!.*pa55word).*DATABASE_URL/s);
});

test("the help lists every setting", () => {
  for (const name of Object.keys(settings.shape)) expect(settingsHelp()).toContain(name);
});

test.each([
  ["HUB_LOG", "silent, error, warn, info, debug (default info)"],
  ["HUB_METRICS", "true, false (default true)"],
  ["HUB_REGISTRATION", "closed, invite, open (default invite)"],
])("the help lists the values of %s", (name, values) => {
  const line = settingsHelp()
    .split("\n")
    .find((text) => text.includes(name));
  expect(line).toContain(values);
});

test("does not log secrets", () => {
  const token = newToken();
  for (const url of [
    `/-/user/token/${token}`,
    "/-/user/token/anything",
    `/x?token=${token}`,
    "/invite/abc123",
    "/-/v1/done/xyz789?x=1",
  ])
    expect(redactUrl(url)).not.toMatch(/envh_|anything|abc123|xyz789/);
  expect(redactUrl("/@envs%2ftictactoe")).toBe("/@envs%2ftictactoe");
});

describe("HUB_MODELS", () => {
  const endpoint = { baseURL: "http://localhost/v1", price: { input: 1, output: 2 }, maxTokens: 9 };

  /** Reads settings with a file of models. */
  async function read(content: string) {
    await using folder = await mkdtempDisposable(join(tmpdir(), "envs-models-"));
    const path = join(folder.path, "models.json");
    await writeFile(path, content);
    return readSettings({ HUB_MODELS: path });
  }
  const fileOf = (models: object) => JSON.stringify({ costPerUserAndDay: 1, models });

  test("reads the models", async () => {
    const { HUB_MODELS: file } = await read(fileOf({ "gpt-5": endpoint }));
    expect(file?.models).toEqual({ "gpt-5": { ...endpoint, concurrency: 4 } });
  });

  test.each([
    ["{", "the file cannot be read"],
    [fileOf({ "policy:optimal": endpoint }), "must not begin with policy: or tiny:"],
    [fileOf({ a: { ...endpoint, apiKey: "sk-1" } }), 'Unrecognized key: "apiKey"'],
    [fileOf({ a: { ...endpoint, apiKeyVariable: "ABSENT" } }), "ABSENT of the model a is not set"],
  ])("rejects %s", async (content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});
