import reverseText from "@envs/reverse-text";
import { afterEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";

import { serve, type ServeOptions } from "../src/index.ts";

const key = "opensesame";
const closing: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of closing.splice(0)) await each[Symbol.asyncDispose]();
});

async function started(options: ServeOptions = {}) {
  const server = await serve([reverseText()], { port: 0, ...options });
  closing.push(server);
  return server;
}

function typed(url: string, fields: Record<string, string>) {
  return fetch(`${url}/web/key`, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
}

async function cookieFor(url: string): Promise<string> {
  const answer = await typed(url, { key });
  return answer.headers.getSetCookie()[0]!.split(";")[0]!;
}

function isUpgraded(url: string, headers: Record<string, string>): Promise<boolean> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/reverse-text/ws`, { headers });
  return new Promise((resolve) => {
    socket.once("open", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.terminate()) as Promise<boolean>;
}

describe("the page to play on", () => {
  test("runs nothing but its own files, and all of them are there", async () => {
    const { url } = await started();
    const page = await fetch(`${url}/web`);
    const html = await page.text();
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(html).not.toMatch(/<style|<script>|style=|onclick=/u);
    expect(html).toContain("reverse-text");
    const files = [...html.matchAll(/(?:src|href)="(?<file>\/web\/[^"]+)"/gu)];
    expect(files).toHaveLength(2);
    for (const { groups } of files) {
      const file = await fetch(url + groups!.file);
      expect(file.status).toBe(200);
      expect(file.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect((await fetch(`${url}/web/`)).status).toBe(200);
    expect((await fetch(`${url}/web/routes.ts`)).status).toBe(404);
  });

  test("of a server with a key asks for it, and says nothing before", async () => {
    const { url } = await started({ apiKey: key });
    const page = await fetch(`${url}/web`);
    expect(page.status).toBe(401);
    const html = await page.text();
    expect(html).toContain("requires a key");
    expect(html).not.toContain("reverse-text");
    const wrong = await typed(url, { key: "open" });
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining("Wrong key")]);
    expect(wrong.headers.getSetCookie()).toEqual([]);
    expect((await typed(url, {})).status).toBe(401);
  });

  test("knows who has typed the key by a cookie that is not the key", async () => {
    const { url } = await started({ apiKey: key });
    const answer = await typed(url, { key });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, "/web"]);
    const [line = ""] = answer.headers.getSetCookie();
    expect(line).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/u);
    expect(line).not.toContain(key);
    const cookie = line.split(";")[0]!;
    const page = await fetch(`${url}/web`, { headers: { cookie: `other=1; ${cookie}` } });
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining("reverse-text"),
    ]);
    expect(await isUpgraded(url, { cookie })).toBe(true);
    expect(await isUpgraded(url, {})).toBe(false);
    expect(await isUpgraded(url, { cookie: "envs_key=made-up" })).toBe(false);
  });

  test("is the only page whose cookie counts, also beside others of its machine", async () => {
    const { url } = await started({ apiKey: key });
    const cookie = await cookieFor(url);
    expect(await isUpgraded(url, { cookie, origin: url })).toBe(true);
    expect(await isUpgraded(url, { cookie, origin: "http://127.0.0.1:1" })).toBe(false);
    expect(await isUpgraded(url, { cookie, origin: "null" })).toBe(false);
  });
});
