import { defineEnvironment, end } from "@envs/core";
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect } from "vitest";
import * as z from "zod";

import { test as serverTest } from "./support/test-server.ts";

const vault = defineEnvironment({
  name: "vault",
  systemPrompt: "Open the vault.",
  dataset: () => [1, 2, 3].map((code) => ({ prompt: `Vault ${code}.`, code })),
  setup: () => ({ isOpen: false }),
  tools: {
    look: {
      description: "Returns the code",
      input: z.object({ hint: z.string().optional() }),
      execute: (_input, { example }) => ({ code: example.code, walls: ["steel"] }),
    },
    open: {
      description: "Opens the vault",
      input: z.object({ code: z.int() }),
      execute({ code }, { example, state }) {
        state.isOpen = code === example.code;
        return end(state.isOpen ? "Open." : "Closed.");
      },
    },
  },
  rubric: { opened: ({ state }) => Number(state.isOpen) },
});

const test = serverTest
  .extend("url", async ({ startServer }) => {
    const { url } = await startServer([vault()]);
    return `${url}/mcp`;
  })
  .extend("connect", ({ cleanup, url }) => async (query = "") => {
    const client = new Client({ name: "test", version: "1.0.0" });
    const transport = new StreamableHTTPClientTransport(new URL(url + query));
    cleanup.defer(() => client.close());
    await client.connect(transport);
    return { client, transport };
  });

/** Posts a JSON-RPC message without a client. */
async function post(url: string, message: object, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const initialize = {
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  },
};

describe("a stock MCP client", () => {
  test("plays the episode of its session", async ({ connect }) => {
    const { client } = await connect("?split=train&index=1");
    expect(client.getServerVersion()).toMatchObject({ name: "vault" });
    expect(client.getInstructions()).toBe("Open the vault.\n\nVault 2.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["look", "open", "respond"]);
    expect(tools[1]?.inputSchema).toMatchObject({ required: ["code"] });
    const open = await client.callTool({ name: "open", arguments: { code: 2 } });
    expect(open).toMatchObject({
      content: [{ type: "text", text: "Open." }],
      _meta: { "envs/episode": { done: true, reward: 1, stop_reason: "end" } },
    });
    const late = await client.callTool({ name: "look", arguments: {} });
    expect(late.content).toEqual([{ type: "text", text: "The episode is over." }]);
  });

  test("receives the object of a tool beside its text", async ({ connect }) => {
    const { client } = await connect();
    const look = await client.callTool({ name: "look", arguments: {} });
    expect(look.structuredContent).toEqual({ code: 1, walls: ["steel"] });
    expect(look.content).toEqual([{ type: "text", text: '{"code":1,"walls":["steel"]}' }]);
  });

  test("receives errors of unknown tools and methods", async ({ connect }) => {
    const { client } = await connect();
    await expect(client.callTool({ name: "dig" })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.listResources()).rejects.toThrow("resources/list");
    expect(await client.ping()).toEqual({});
  });

  test("ends its session, whose id the server then rejects", async ({ connect, url }) => {
    const { client, transport } = await connect();
    const id = transport.sessionId!;
    await transport.terminateSession();
    await client.close();
    const ping = { id: 2, method: "ping" };
    expect(await post(url, ping, { "mcp-session-id": id })).toMatchObject({ status: 404 });
  });

  test("of the next version plays as well", async ({ cleanup, url }) => {
    const client = new NewClient({ name: "test", version: "1.0.0" });
    cleanup.defer(() => client.close());
    await client.connect(new NewTransport(new URL(`${url}?index=2`)));
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(3);
    const open = await client.callTool({ name: "open", arguments: { code: 3 } });
    expect(open._meta).toMatchObject({ "envs/episode": { done: true, reward: 1 } });
  });
});

describe("MCP over streamable HTTP", () => {
  test("gives each client its own session", async ({ connect }) => {
    const [first, second] = await Promise.all([connect("?index=0"), connect("?index=1")]);
    expect(first.transport.sessionId).not.toBe(second.transport.sessionId);
    const look = await second.client.callTool({ name: "look", arguments: {} });
    expect(look.structuredContent).toMatchObject({ code: 2 });
  });

  test("negotiates the version, and accepts notifications without a body", async ({ url }) => {
    const opened = await post(url, initialize);
    expect(JSON.parse(opened.text)).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id")! };
    const notification = await post(url, { method: "notifications/initialized" }, session);
    expect(notification).toMatchObject({ status: 202, text: "" });
    const unknown = { ...initialize, params: { ...initialize.params, protocolVersion: "1999" } };
    expect(JSON.parse((await post(url, unknown)).text)).toMatchObject({
      result: { protocolVersion: "2025-11-25" },
    });
    const wrong = await post(
      url,
      { id: 2, method: "ping" },
      { ...session, "mcp-protocol-version": "1999" },
    );
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain("2025-11-25");
  });

  test("reports an example that does not exist, and opens no session", async ({ url }) => {
    for (const query of ["?index=9", "?split=absent", "?index=x"]) {
      const { text, headers } = await post(url + query, initialize);
      expect(JSON.parse(text), query).toMatchObject({ error: { code: -32_602 } });
      expect(headers.get("mcp-session-id")).toBeNull();
    }
  });

  test("still answers OpenEnv's requests outside a session", async ({ url }) => {
    const { text } = await post(url, { id: 1, method: "openenv/session/create" });
    expect(JSON.parse(text)).toMatchObject({ result: { session_id: expect.any(String) } });
  });
});
