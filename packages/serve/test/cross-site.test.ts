import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

import reverseText from "@envs/reverse-text";
import { describe, expect } from "vitest";
import { WebSocket } from "ws";

import { test } from "./support/test-server.ts";

type Headers = Readonly<Record<string, string>>;

interface Reply {
  readonly status: number | undefined;
  readonly body: string;
}

/** Posts a body that a page can send to any server without a preflight. */
async function post(url: string, headers: Headers): Promise<Reply> {
  const sent = request(url, {
    method: "POST",
    headers: { "content-type": "text/plain", ...headers },
  });
  sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "openenv/session/create" }));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

async function get(url: string, headers: Headers): Promise<Reply> {
  const sent = request(url, { headers }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

/** The status of the response to an upgrade: 101 if the server accepts the socket. */
async function upgrade(url: string, headers: Headers): Promise<Reply> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`, { headers });
  const { promise, resolve } = Promise.withResolvers<Reply>();
  socket.once("open", () => resolve({ status: 101, body: "" }));
  socket.once("unexpected-response", (_request, response: IncomingMessage) => {
    void text(response).then((body) => resolve({ status: response.statusCode, body }));
  });
  socket.on("error", () => undefined);
  return promise.finally(() => socket.terminate());
}

describe("a server without a key", () => {
  test("rejects requests of other sites' pages", async ({ startServer }) => {
    const { url } = await startServer([reverseText()]);
    for (const origin of ["https://evil.example", "http://localhost:3000", "null"])
      for (const path of ["/mcp", "/create_session", "/reset"]) {
        const { status, body } = await post(url + path, { origin });
        expect(status, `${path} ${origin}`).toBe(403);
        expect(body).toContain("--allowed-host");
      }
    const embedded = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await get(`${url}/state`, embedded)).status).toBe(403);
  });

  test("rejects sockets of other sites' pages with a reason", async ({ startServer }) => {
    const { url } = await startServer([reverseText()]);
    const { status, body } = await upgrade(url, { origin: "https://evil.example" });
    expect(status).toBe(403);
    expect(JSON.parse(body)).toEqual({ detail: expect.stringContaining("https://evil.example") });
  });

  test("rejects a name that was rebound to this machine", async ({ startServer }) => {
    const { url } = await startServer([reverseText()]);
    const rebound = { host: "evil.example:8000", origin: "http://evil.example:8000" };
    expect((await post(`${url}/mcp`, rebound)).status).toBe(403);
    expect((await get(`${url}/web`, { host: "evil.example" })).status).toBe(403);
    expect((await upgrade(url, rebound)).status).toBe(403);
    expect((await get(`${url}/health`, { host: "localhost.evil.example" })).status).toBe(403);
  });

  test("serves its own page, and clients that are not browsers", async ({ startServer }) => {
    const { url } = await startServer([reverseText()]);
    expect((await upgrade(url, { origin: url })).status).toBe(101);
    expect((await upgrade(url, {})).status).toBe(101);
    const { port } = new URL(url);
    for (const host of [`localhost:${port}`, "envs.localhost", "192.168.1.5:8000", "[::1]:8000"])
      expect((await get(`${url}/health`, { host })).status, host).toBe(200);
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await get(`${url}/web`, link)).status).toBe(200);
  });

  test("serves the names that it is configured with", async ({ startServer }) => {
    const { url } = await startServer([reverseText()], {
      host: "localhost",
      allowedHosts: ["GPU-3", "lab.example"],
    });
    expect((await get(`${url}/health`, { host: "gpu-3:8000" })).status).toBe(200);
    expect((await upgrade(url, { origin: "https://lab.example" })).status).toBe(101);
    expect((await get(`${url}/health`, { host: "gpu-4" })).status).toBe(403);
  });
});

test("a server with a key serves any host that sends the key", async ({ startServer }) => {
  const { url } = await startServer([reverseText()], { apiKey: "opensesame" });
  const headers = { host: "evil.example", origin: "https://evil.example" };
  expect((await get(`${url}/splits`, headers)).status).toBe(401);
  expect((await get(`${url}/splits`, { ...headers, "x-api-key": "opensesame" })).status).toBe(200);
});
