import { once } from "node:events";
import { connect } from "node:net";

import { beforeAll, describe, expect, test } from "vitest";

import { anyDatabase } from "./support/hub.ts";
import { seedPackage } from "./support/seed-package.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase);
const ada = sharedUser(server, "ada");
beforeAll(async () => {
  await seedPackage(server.hub, "@ada/x", { owner: ada });
});

/** Sends a request byte for byte, and returns the status and body of the response. */
async function raw(request: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(request);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket, "close");
  const response = Buffer.concat(chunks).toString();
  return {
    status: Number(response.slice(9, 12)),
    body: response.slice(response.indexOf("\r\n\r\n") + 4),
  };
}

const get = (path: string, headers = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;

function expectProblem(body: string): void {
  expect(JSON.parse(body)).toEqual({
    error: expect.any(String),
    message: expect.any(String),
    code: expect.any(String),
  });
}

describe("paths", () => {
  test.each([
    "/%zz",
    "/@envs%2f",
    "/@envs%2f..%2f..%2fetc%2fpasswd",
    "/..%2f..%2fetc%2fpasswd",
    "/@envs/../../etc/passwd",
    "/@a/b/-/..%2f..%2f..%2fetc%2fpasswd",
    "/%00",
    "/a%00b/-/a-1.0.0.tgz",
    "/__proto__",
    "/constructor/1.0.0",
    "/-/package/__proto__/dist-tags",
    `/${"a".repeat(600)}`,
    `/${"%2f".repeat(300)}`,
    `/${"a".repeat(12_000)}`,
    "//evil.example.com/%2f..",
    "/@%E0%A4%A/x",
    "/caf%C3%A9",
    "/%F0%9F%92%A9",
  ])("rejects %s with a JSON error", async (path) => {
    const { status, body } = await raw(get(path));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expectProblem(body);
  });

  test("returns 431 for headers above the size limit", async () => {
    const { status, body } = await raw(get("/-/ping", `X-Long: ${"a".repeat(20_000)}\r\n`));
    expect(status).toBe(431);
    expectProblem(body);
  });

  test.each(["TRACE", "PROPFIND", "BREW"])("rejects the method %s", async (method) => {
    const { status } = await raw(get("/-/ping").replace("GET", method));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  test("rejects two Content-Length headers", async () => {
    const { status, body } = await raw(
      "PUT /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    );
    expect(status).toBe(400);
    expectProblem(body);
  });

  test("rejects Content-Length together with chunked encoding", async () => {
    const { status, body } = await raw(
      "PUT /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    expect(status).toBe(400);
    expectProblem(body);
  });
});

describe("bodies", () => {
  const put = (
    body: string,
    headers: Record<string, string> = { "content-type": "application/json" },
  ) =>
    fetch(`${server.url}/@ada%2fx`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ada.token}`, ...headers },
      body,
    });

  test.each([
    ["invalid JSON", "{", 400],
    ["a number", "7", 400],
    ["null", "null", 400],
    ["a list", "[]", 400],
    ["an object without known fields", "{}", 400],
    ["a poisoned prototype", '{"__proto__":{"admin":true}}', 400],
    ["deep nesting", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, 400],
  ])("rejects %s with a JSON error", async (_, body, status) => {
    const response = await put(body);
    expect(response.status).toBe(status);
    expectProblem(await response.text());
  });

  test("rejects a media type other than JSON", async () => {
    const response = await put("<xml/>", { "content-type": "text/xml" });
    expect(response.status).toBe(415);
    expectProblem(await response.text());
  });

  test("rejects a body above the route's limit", async () => {
    const response = await server.request("/-/v1/login", {
      method: "POST",
      body: { padding: "a".repeat(2 ** 21) },
    });
    expect(response.status).toBe(413);
    expectProblem(await response.text());
  });
});

test("registry routes ignore cookies", async () => {
  const response = await fetch(`${server.url}/-/whoami`, {
    headers: { cookie: `session=${ada.token}; __Host-session=${ada.token}` },
  });
  expect(response.status).toBe(401);
});

test("returns 401 for an Authorization header without a valid token", async () => {
  for (const authorization of [
    "Bearer",
    "Bearer ",
    `bearer ${ada.token}x`,
    `Basic ${btoa("ada:x")}`,
    `Bearer ${"a".repeat(8000)}`,
    `Token ${ada.token}`,
  ]) {
    const response = await fetch(`${server.url}/-/whoami`, { headers: { authorization } });
    expect([authorization.slice(0, 20), response.status]).toEqual([
      authorization.slice(0, 20),
      401,
    ]);
    expectProblem(await response.text());
  }
});
