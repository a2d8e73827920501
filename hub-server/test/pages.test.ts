import { request } from "node:http";

import { browser, type Page } from "@envs/hub-testing/browser";
import { makePerson, password, type Person, enableSecondFactor } from "@envs/hub-testing/person";
import { sharedHub } from "@envs/hub-testing/shared-hub";
import { beforeAll, expect, test } from "vitest";

const server = sharedHub("embedded", { HUB_LIMITS: "off" });
let ada: Person;
let pages: readonly Page[];

beforeAll(async () => {
  ada = await makePerson(server, "ada", { isAdmin: true });
  pages = await everyPage();
});

/** Every page that there is. */
async function everyPage(): Promise<readonly Page[]> {
  const stranger = browser(server);
  const tab = await ada.signIn();
  const asked = await server.request("/-/v1/login", { method: "POST", body: {} });
  const { loginUrl } = (await asked.json()) as { loginUrl: string };
  const opened = [
    await stranger.open("/sign-in"),
    await stranger.press("Sign in", { Name: "ada", Password: "wrong horse battery" }),
    await stranger.open("/register"),
    await stranger.open("/"),
    await tab.open(new URL(loginUrl).pathname),
    await tab.press("Approve"),
    await tab.open("/approve/NONE-NONE"),
    await tab.open("/settings"),
    await tab.open("/settings/tokens"),
    await tab.open("/settings/sessions"),
    await tab.open("/settings/invitations"),
    await tab.press("Create invitation", { "Make the user an administrator of this hub": "yes" }),
    await tab.open("/settings/second-factor"),
    await tab.press("Set up", { Password: password }),
  ];
  const [path = ""] = /\/invite\/[\w-]{43}/.exec(opened[11]?.html ?? "") ?? [];
  const person = await makePerson(server, "grace");
  await enableSecondFactor(server, person);
  const second = await person.signIn();
  return [...opened, await stranger.open(path), second.page];
}

test("every page works without scripts and has one heading and labelled fields", () => {
  expect(pages).toHaveLength(16);
  for (const { html, headers, path } of pages) {
    expect([path, headers.get("content-type")]).toEqual([path, "text/html; charset=utf-8"]);
    expect([path, html.match(/<h1>/g)?.length]).toEqual([path, 1]);
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).not.toMatch(/<script|<style| style=| on[a-z]+=|javascript:/i);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect([path, new Set(ids).size]).toEqual([path, ids.length]);
    for (const [field] of html.matchAll(/<(?:input|select)[^>]*>/g)) {
      if (/type="hidden"| hidden=""/.test(field)) continue;
      const [, id = "?"] = / id="([^"]+)"/.exec(field) ?? [];
      expect([path, html.includes(`<label for="${id}">`)]).toEqual([path, true]);
    }
  }
});

test("pages forbid scripts, frames and caching", () => {
  for (const { headers, path } of pages) {
    const policy = headers.get("content-security-policy") ?? "";
    expect([path, policy]).toEqual([path, expect.stringContaining("default-src 'none'")]);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).not.toMatch(/script|unsafe|\*/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("same-origin");
  }
});

test("the home page explains the hub and how to start", async () => {
  const { heading, text } = await browser(server).open("/");
  expect(heading).toBe("Environment hub");
  expect(text).toContain(`envs search --registry ${server.url}`);
});

test("serves the stylesheet under a URL with its content hash", async () => {
  const { html } = await browser(server).open("/sign-in");
  const [, path = ""] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
  const style = await server.request(path);
  expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(style.headers.get("cache-control")).toContain("immutable");
  expect(await style.text()).not.toMatch(/url\(|@import/);
});

test("escapes the client's description of itself", async () => {
  const hostile = `<script>alert(1)</script>"'><img src=x onerror=y>\u202e`;
  const asked = await server.request("/-/v1/login", {
    method: "POST",
    body: {},
    headers: { "user-agent": Buffer.from(hostile).toString("latin1") },
  });
  const { loginUrl } = (await asked.json()) as { loginUrl: string };
  const tab = await ada.signIn();
  const { html, text } = await tab.open(new URL(loginUrl).pathname);
  expect(html).not.toMatch(/<script|<img|\u202e/);
  expect(text).toContain("<script>alert(1)</script>");
});

test("errors are HTML on pages and JSON elsewhere", async () => {
  const tab = browser(server);
  const over = await tab.open(`/invite/${"x".repeat(43)}`);
  expect([over.status, over.heading]).toEqual([404, "Request failed"]);
  const long = await tab.send("/sign-in", { fields: { name: "x".repeat(20_000) } });
  expect([long.status, long.heading]).toEqual([413, "Request failed"]);
  const odd = await fetch(`${server.url}/sign-in`, {
    method: "POST",
    headers: { "content-type": "text/xml" },
    body: "<x/>",
  });
  expect([odd.status, odd.headers.get("content-type")]).toEqual([415, "text/html; charset=utf-8"]);
});

const json = "application/json; charset=utf-8";

test.each([
  ["a body that is no JSON", "/-/npm/v1/tokens", { body: "{", type: "application/json" }, 400],
  ["a body of another type", "/-/npm/v1/tokens", { body: "<x/>", type: "text/xml" }, 415],
  [
    "a body that poisons",
    "/-/v1/login",
    { body: '{"__proto__":{"x":1}}', type: "application/json" },
    400,
  ],
  [
    "a body of a megabyte and more",
    "/-/v1/login",
    { body: `"${"x".repeat(2 ** 20)}"`, type: "application/json" },
    413,
  ],
])("rejects %s with a JSON error", async (_what, path, { body, type }, status) => {
  const answer = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": type, authorization: `Bearer ${ada.token}` },
    body,
  });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([status, json]);
  expect(await answer.json()).toMatchObject({
    error: expect.any(String),
    code: expect.any(String),
  });
});

/** A request as no client makes it. */
async function raw(path: string, headers: Record<string, string>) {
  const { port } = new URL(server.url);
  return await new Promise<{ status: number; body: string }>((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", path, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

test.each([
  ["a token that is none", "/-/whoami", { authorization: "Bearer nonsense" }, 401],
  ["a password instead of a token", "/-/whoami", { authorization: "Basic YWRhOmFkYQ==" }, 401],
  ["a token as long as a page", "/-/whoami", { authorization: `Bearer ${"x".repeat(8000)}` }, 401],
  ["headers of 30 KB", "/-/whoami", { cookie: "x".repeat(30_000) }, 431],
  ["an address that cannot be decoded", "/-/user/org.couchdb.user:%E0%A4%A", {}, 400],
  ["a name of nothing but a null", "/-/user/org.couchdb.user:%00", {}, 404],
  ["a secret that nobody has", "/-/v1/done/%00%ff", {}, 400],
  ["a secret that nobody could have", "/-/v1/done/x%00", {}, 404],
])("rejects %s with a JSON error", async (_what, path, headers, status) => {
  const answer = await raw(path, headers as unknown as Record<string, string>);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([
    status,
    expect.objectContaining({ error: expect.any(String) }),
  ]);
});
