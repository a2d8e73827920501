import { request } from "node:http";

import { beforeAll, expect, test } from "vitest";

import { browser, type Page } from "./support/browser.ts";
import { anyDatabase } from "./support/hub.ts";
import { makePerson, type Person, enableSecondFactor } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off" });
let ada: Person;
let pages: readonly Page[];

beforeAll(async () => {
  ada = await makePerson(server, "ada", { isAdmin: true });
  pages = await everyPage();
});

/** Opens every page of the hub. */
async function everyPage(): Promise<readonly Page[]> {
  const stranger = browser(server);
  const tab = await ada.signIn();
  const login = await server.request("/-/v1/login", { method: "POST", body: {} });
  const { loginUrl } = (await login.json()) as { loginUrl: string };
  const visited = [
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
    await tab.press("Set up"),
  ];
  const [path = ""] = /\/invite\/[\w-]{43}/.exec(visited[11]?.html ?? "") ?? [];
  const person = await makePerson(server, "grace");
  await enableSecondFactor(server, person);
  const second = await person.signIn();
  return [...visited, await stranger.open(path), second.page];
}

test("every page has one heading, labelled fields and no inline scripts or styles", () => {
  expect(pages).toHaveLength(16);
  for (const { html, headers, path } of pages) {
    expect([path, headers.get("content-type")]).toEqual([path, "text/html; charset=utf-8"]);
    expect([path, html.match(/<h1>/g)?.length]).toEqual([path, 1]);
    expect(html).toMatch(/^<!doctype html><html lang="en">/);
    expect(html).not.toMatch(
      /<script(?! type="module" src="\/-\/assets\/| type="application\/ld\+json")/i,
    );
    expect(html).not.toMatch(/<style| style=| on[a-z]+=|javascript:/i);
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect([path, new Set(ids).size]).toEqual([path, ids.length]);
    for (const [field] of html.matchAll(/<(?:input|select)[^>]*>/g)) {
      if (/type="hidden"| hidden=""/.test(field)) continue;
      const [, id = "?"] = / id="([^"]+)"/.exec(field) ?? [];
      expect([path, html.includes(`<label for="${id}"`)]).toEqual([path, true]);
    }
  }
});

test("pages forbid foreign scripts, frames and caching", () => {
  for (const { headers, path } of pages) {
    const policy = headers.get("content-security-policy") ?? "";
    expect([path, policy]).toEqual([path, expect.stringContaining("default-src 'none'")]);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*/);
    const caching = path === "/" ? "private, max-age=0, must-revalidate" : "no-store";
    expect([path, headers.get("cache-control")]).toEqual([path, caching]);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("same-origin");
  }
});

test("serves the stylesheet under a URL with its content hash", async () => {
  const { html } = await browser(server).open("/sign-in");
  const [, path = ""] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
  const style = await server.request(path);
  expect(style.headers.get("content-type")).toBe("text/css; charset=utf-8");
  expect(style.headers.get("cache-control")).toContain("immutable");
  expect(await style.text()).not.toMatch(/url\(|@import/);
});

test("escapes the client's user agent", async () => {
  const hostile = `<script>alert(1)</script>"'><img src=x onerror=y>\u202e`;
  const login = await server.request("/-/v1/login", {
    method: "POST",
    body: {},
    headers: { "user-agent": Buffer.from(hostile).toString("latin1") },
  });
  const { loginUrl } = (await login.json()) as { loginUrl: string };
  const tab = await ada.signIn();
  const { html, text } = await tab.open(new URL(loginUrl).pathname);
  expect(html).not.toMatch(/<script>|<img|\u202e/);
  expect(text).toContain("<script>alert(1)</script>");
});

test("errors are HTML on pages and JSON elsewhere", async () => {
  const tab = browser(server);
  const over = await tab.open(`/invite/${"x".repeat(43)}`);
  expect([over.status, over.heading]).toEqual([404, "Not found"]);
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
  ["a body of invalid JSON", "/-/npm/v1/tokens", { body: "{", type: "application/json" }, 400],
  ["a body of another type", "/-/npm/v1/tokens", { body: "<x/>", type: "text/xml" }, 415],
  [
    "a body that sets a prototype",
    "/-/v1/login",
    { body: '{"__proto__":{"x":1}}', type: "application/json" },
    400,
  ],
  [
    "a body above a megabyte",
    "/-/v1/login",
    { body: `"${"x".repeat(2 ** 20)}"`, type: "application/json" },
    413,
  ],
])("rejects %s with a JSON error", async (_what, path, { body, type }, status) => {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": type, authorization: `Bearer ${ada.token}` },
    body,
  });
  expect([response.status, response.headers.get("content-type")]).toEqual([status, json]);
  expect(await response.json()).toMatchObject({
    error: expect.any(String),
    code: expect.any(String),
  });
});

/** Sends a request that `fetch` would refuse. */
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
  ["text that is not a token", "/-/whoami", { authorization: "Bearer nonsense" }, 401],
  ["a password instead of a token", "/-/whoami", { authorization: "Basic YWRhOmFkYQ==" }, 401],
  ["a token of 8000 characters", "/-/whoami", { authorization: `Bearer ${"x".repeat(8000)}` }, 401],
  ["headers of 30 KB", "/-/whoami", { cookie: "x".repeat(30_000) }, 431],
  ["a URL that cannot be decoded", "/-/user/org.couchdb.user:%E0%A4%A", {}, 400],
  ["a user name that is a NUL", "/-/user/org.couchdb.user:%00", {}, 404],
  ["a polling secret that cannot be decoded", "/-/v1/done/%00%ff", {}, 400],
  ["a polling secret with a NUL", "/-/v1/done/x%00", {}, 404],
])("rejects %s with a JSON error", async (_what, path, headers, status) => {
  const response = await raw(path, headers as unknown as Record<string, string>);
  expect([response.status, JSON.parse(response.body)]).toEqual([
    status,
    expect.objectContaining({ error: expect.any(String) }),
  ]);
});
