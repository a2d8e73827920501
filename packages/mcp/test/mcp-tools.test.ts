import { assistantMessage, ConfigError, rollout } from "@envs/core";
import { scriptedModel } from "@envs/core/testing";
import { Server } from "@modelcontextprotocol/server";
import { describe, expect, test as base, vi } from "vitest";

import { mcpTools, type McpOptions } from "../src/index.ts";
import { httpServer } from "./support/http-server.ts";
import { pixel, testServer, waits } from "./support/test-server.ts";
import { call, environmentWith, specOf } from "./support/tools.ts";

const test = base
  .extend("server", async ({}, { onCleanup }) => {
    const server = await httpServer(testServer);
    onCleanup(() => server[Symbol.asyncDispose]());
    return server;
  })
  .extend("connect", async ({ server }, { onCleanup }) => {
    const stack = new AsyncDisposableStack();
    onCleanup(() => stack.disposeAsync());
    return (options: McpOptions = {}, headers = {}) =>
      stack.use(mcpTools({ url: server.url, headers }, options));
  });

describe("the tools of a server", () => {
  test("shows the model the server's own schema", async ({ connect }) => {
    const tools = await connect({ only: ["add"] })();
    expect(Object.keys(tools)).toEqual(["add"]);
    expect(specOf(tools, "add")).toEqual({
      name: "add",
      description: "Adds two numbers",
      parameters: {
        type: "object",
        properties: {
          a: { type: "number", description: "The first" },
          b: { type: "integer", minimum: -9007199254740991, maximum: 9 },
        },
        required: ["a", "b"],
      },
    });
  });

  test("rejects arguments that do not fit the server's schema", async ({ connect }) => {
    const tools = await connect()();
    const { error } = await tools.add!.input.safeParseAsync({ a: "1", b: 10 });
    expect(error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual([
      expect.stringContaining("must be number"),
    ]);
  });

  test("returns text, JSON and parts", async ({ connect }) => {
    const tools = await connect()();
    expect(await call(tools, "add", { a: 1, b: 2 })).toBe("3");
    expect(await call(tools, "structured")).toEqual({ n: 1 });
    expect(await call(tools, "image")).toEqual([
      { type: "text", text: "A pixel" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
    ]);
    expect(await call(tools, "audio")).toEqual([
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
    ]);
    expect(await call(tools, "resources")).toBe("Resource a (text/plain): file:///a.txt\nb's text");
    expect(await call(tools, "blobs")).toEqual([
      {
        type: "file",
        file: { file_data: "data:application/pdf;base64,AA", filename: "c.pdf" },
      },
      { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } },
    ]);
  });

  test("throws the text of a result that is an error", async ({ connect }) => {
    const tools = await connect()();
    await expect(call(tools, "fail")).rejects.toThrow(/^The disk is full\.$/u);
    await expect(call(tools, "throw")).rejects.toThrow("The tool has a bug.");
  });

  test("reports failures of tools to the model", async ({ connect }) => {
    const environment = environmentWith(await connect()());
    const toolCall = { id: "1", type: "function", function: { name: "fail", arguments: "" } };
    const model = scriptedModel(
      { ...assistantMessage(""), tool_calls: [toolCall as never] },
      assistantMessage("It failed."),
    );
    const result = await rollout(environment, { prompt: "Use the tools." }, { model });
    expect(result).toMatchObject({ reward: 1 });
    expect(result.completion[1]).toMatchObject({
      role: "tool",
      content: "Error: fail failed: The disk is full.",
    });
  });

  test("lists tools again after the server has added one", async ({ connect, server }) => {
    const toolset = connect();
    const before = await toolset();
    await call(before, "grow");
    vi.spyOn(performance, "now").mockReturnValue(performance.now() + 11_000);
    expect(Object.keys(await toolset())).toContain("grown");
    vi.restoreAllMocks();
    expect(server.sessions.size).toBe(1);
  });

  test("reads all pages, and makes names valid and unique", async ({ onTestFinished }) => {
    const server = await httpServer(pagedServer as never);
    onTestFinished(() => server[Symbol.asyncDispose]());
    const toolset = mcpTools({ url: server.url }, { prefix: "big." });
    onTestFinished(() => toolset[Symbol.asyncDispose]());
    const names = Object.keys(await toolset());
    expect(names).toHaveLength(1003);
    expect(names[0]).toBe("big_tool_0");
    expect(names.slice(1000)).toEqual([
      "big_a_b",
      expect.stringMatching(/^big_a_b_[0-9a-f]{8}$/u),
      expect.stringMatching(/^big_x{51}_[0-9a-f]{8}$/u),
    ]);
  });
});

describe("a shared connection", () => {
  test("is opened once for rollouts that start together", async ({ connect, server }) => {
    const toolset = connect();
    expect(server.requests).toEqual([]);
    const records = await Promise.all([toolset(), toolset(), toolset()]);
    expect(new Set(records).size).toBe(1);
    expect(await Promise.all(records.map((tools) => call(tools, "count")))).toHaveLength(3);
    expect(server.sessions.size).toBe(1);
    expect(server.requests.filter(({ method }) => method === "GET")).toEqual([]);
  });

  test("opens a new session when the server has forgotten its own", async ({ connect, server }) => {
    const tools = await connect()();
    server.sessions.clear();
    expect(await call(tools, "count")).toBe("1");
  });

  test("fails a call while the server is unavailable, and recovers", async ({
    connect,
    server,
  }) => {
    const tools = await connect()();
    server.answerWith(503);
    await expect(call(tools, "count")).rejects.toThrow(
      /The MCP server http:.*\/mcp did not answer the call of count: status 503/u,
    );
    server.answerWith(undefined);
    expect(await call(tools, "count")).toBe("1");
  });

  test("ends the session at the server when it is disposed", async ({ connect, server }) => {
    const toolset = connect();
    await toolset();
    await toolset[Symbol.asyncDispose]();
    expect(server.sessions.size).toBe(0);
  });

  test("cancels calls at the server", async ({ connect }) => {
    const started = waits.started;
    const cancelled = waits.cancelled;
    const controller = new AbortController();
    const tools = await connect({ timeout: 300 })();
    const aborted = call(tools, "wait", {}, controller.signal);
    const late = call(tools, "wait");
    late.catch(() => undefined);
    await vi.waitFor(() => expect(waits.started - started).toBe(2), 120_000);
    controller.abort(new Error("The rollout was cancelled."));
    await expect(aborted).rejects.toThrow("The rollout was cancelled.");
    await expect(late).rejects.toThrow("did not answer the call of wait within 0.3 s");
    await vi.waitFor(() => expect(waits.cancelled - cancelled).toBe(2), 120_000);
  });
});

describe("secrets", () => {
  test("sends headers, and omits their values from errors", async ({ connect, server }) => {
    const headers = { authorization: "Bearer sk-secret", "x-team": "falcons" };
    const tools = await connect({}, headers)();
    expect(server.requests[0]?.headers).toMatchObject(headers);
    server.answerWith(401);
    await expect(call(tools, "count")).rejects.toThrow("rejected the credentials with status 401");
  });

  test("shows only the path of an address", async () => {
    const url = "http://user:hunter2@127.0.0.1:1/mcp?key=sk-secret";
    const error = await mcpTools({ url })().catch((problem: unknown) => problem);
    expect(String(error)).toContain("The MCP server http://127.0.0.1:1/mcp could not be reached");
    expect(String(error)).not.toMatch(/hunter2|sk-secret/u);
  });
});

describe("misuse", () => {
  test("rejects servers without a command and a URL, and URLs of other schemes", () => {
    expect(() => mcpTools({} as never)).toThrow(ConfigError);
    expect(() => mcpTools({ url: "ws://localhost/mcp?key=sk-secret" })).toThrow(
      'The address of the MCP server, "ws://localhost/mcp", is not an http:// or https:// URL.',
    );
  });

  test("rejects tools that the server does not have", async ({ connect }) => {
    await expect(connect({ only: ["add", "substract"] })()).rejects.toThrow(
      /has no tool named substract\. It has: add, count, /u,
    );
  });
});

/** Lists 1,003 tools in pages of ten, with names that model servers reject. */
function pagedServer(): Server {
  const names = [
    ...Array.from({ length: 1000 }, (_, index) => `tool.${index}`),
    "a.b",
    "a/b",
    "x".repeat(100),
  ];
  const server = new Server({ name: "paged", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", async ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const tools = names
      .slice(from, from + 10)
      .map((name) => ({ name, inputSchema: { type: "object" as const } }));
    return { tools, ...(from + 10 < names.length && { nextCursor: String(from + 10) }) };
  });
  return server;
}
