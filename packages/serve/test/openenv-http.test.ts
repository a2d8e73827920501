import doubleCheck from "@envs/double-check";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test as base } from "vitest";

import { serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

interface RpcResponse {
  readonly result?: never;
  readonly error?: { readonly code: number; readonly data?: unknown };
}

const test = base
  .extend("server", { scope: "file" }, async ({}, { onCleanup }) => {
    const environments = [patient(), wikiSearch(), doubleCheck(), tictactoe()];
    const server = await serve(environments, { port: 0 });
    onCleanup(() => server.close());
    return server;
  })
  .extend("request", { scope: "file" }, ({ server }) => {
    return async (path: string, body?: unknown): Promise<{ status: number; json: never }> => {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      };
      const response = await fetch(`${server.url}${path}`, body === undefined ? {} : init);
      return { status: response.status, json: (await response.json()) as never };
    };
  })
  .extend("call", { scope: "file" }, ({ request }) => {
    let id = 0;
    return async (method: string, params: object = {}, path = "/mcp"): Promise<RpcResponse> => {
      id += 1;
      const response = await request(path, { jsonrpc: "2.0", id, method, params });
      expect(response).toMatchObject({ status: 200, json: { jsonrpc: "2.0", id } });
      return response.json as RpcResponse;
    };
  })
  .extend("createSession", { scope: "file" }, ({ call }) => {
    return async (): Promise<string> => {
      const { result } = await call("openenv/session/create");
      return (result as unknown as { session_id: string }).session_id;
    };
  });

describe("over HTTP, OpenEnv", () => {
  test("describes each environment by name, and the first without a name", async ({ request }) => {
    expect(await request("/health")).toMatchObject({ status: 200, json: { status: "healthy" } });
    expect(await request("/metadata")).toMatchObject({ json: { name: "patient" } });
    expect(await request("/wiki-search/metadata")).toMatchObject({ json: { name: "wiki-search" } });
    expect(await request("/schema")).toMatchObject({
      json: { action: { title: "TextAction", required: ["text"] }, observation: {}, state: {} },
    });
    expect(await request("/wiki-search/schema")).toMatchObject({
      json: { action: { title: "CallToolAction", required: ["tool_name"] } },
    });
  });

  test("resets and steps a new episode for each request", async ({ server, request }) => {
    const opening = { observation: { text: "Wait." }, reward: null, done: false };
    expect(await request("/reset", {})).toEqual({ status: 200, json: opening });
    const withoutBody = await fetch(`${server.url}/reset`, { method: "POST" });
    expect(await withoutBody.json()).toEqual(opening);
    const stepped = await request("/step", { action: { text: "a" }, request_id: "r" });
    expect(stepped).toMatchObject({ status: 200, json: { observation: { text: "You said a." } } });
    const listed = await request("/wiki-search/step", { action: { type: "list_tools" } });
    expect(listed).toMatchObject({ status: 200, json: { observation: { tools: {} } } });
    expect(await request("/state")).toMatchObject({ json: { episode_id: null, step_count: 0 } });
  });

  test("rejects invalid requests with the invalid fields", async ({ request }) => {
    expect(await request("/reset", { seed: -1 })).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ["body", "seed"] }] },
    });
    expect((await request("/reset", { indx: 1 })).status).toBe(422);
    expect((await request("/reset", { index: 9 })).status).toBe(400);
    expect((await request("/step", { action: { move: 1 } })).status).toBe(422);
    expect((await request("/step", {})).status).toBe(422);
    expect((await request("/step", "{")).status).toBe(400);
    const failed = await request("/step", { action: { text: "throw" } });
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed)).not.toContain("s3cret");
  });

  test("cancels a step after its timeout", async ({ request }) => {
    const response = await request("/step", { action: { text: "wait" }, timeout_s: 0.05 });
    expect(response).toMatchObject({
      status: 408,
      json: { detail: expect.stringContaining("0.05") },
    });
  });

  test("serves OpenAPI documents of all environments and of each", async ({ request }) => {
    const { json } = await request("/openapi.json");
    const { info, paths } = json as { info: object; paths: Record<string, object> };
    expect(info).toMatchObject({ version: "1.0.0" });
    for (const path of [
      "/reset",
      "/step",
      "/state",
      "/mcp",
      "/wiki-search/step",
      "/{environment}/task",
    ])
      expect(Object.keys(paths)).toContain(path);
    expect(await request("/wiki-search/openapi.json")).toMatchObject({
      json: {
        info: { title: "wiki-search", version: "1.0.0" },
        paths: { "/reset": {}, "/mcp": {} },
      },
    });
    expect(paths["/reset"]).toMatchObject({ post: { requestBody: {}, responses: { 200: {} } } });
  });
});

describe("over HTTP, MCP", () => {
  test("responds with 200 to any body", async ({ request }) => {
    for (const [body, code] of [
      ["{", -32700],
      ["", -32700],
      [{}, -32600],
      [[], -32600],
      [{ jsonrpc: "2.0", method: "unknown" }, -32601],
      [{ jsonrpc: "2.0", method: "tools/call" }, -32602],
      [{ jsonrpc: "2.0", method: "tools/call", params: { name: "respond" } }, -32602],
      [{ jsonrpc: "2.0", method: "openenv/session/close" }, -32602],
    ] as const)
      expect(await request("/mcp", body)).toMatchObject({ status: 200, json: { error: { code } } });
  });

  test("lists tools with MCP's field names", async ({ call }) => {
    const { result } = await call("tools/list", {}, "/wiki-search/mcp");
    expect(result).toMatchObject({ tools: [{ name: "search", inputSchema: {} }, {}, {}, {}] });
  });

  test("creates a session that a socket can use, and that stays open after the socket", async ({
    server,
    call,
    createSession,
  }) => {
    const session_id = await createSession();
    const path = `/ws?session_id=${session_id}`;
    const params = { name: "respond", arguments: { text: "a" }, session_id };
    expect((await call("tools/call", params)).error?.code).toBe(-32000);
    {
      await using socket = await OpenenvSocket.open(server.url, path);
      await socket.reset({ episode_id: "shared" });
      expect(await call("tools/call", params)).toMatchObject({ result: { data: "You said a." } });
      expect((await call("tools/call", { name: "respond", session_id })).error?.code).toBe(-32602);
      await using second = await OpenenvSocket.open(server.url, path);
      expect((await second.next())?.data.code).toBe("SESSION_ERROR");
      socket.send({ type: "close" });
      await socket.closed;
    }
    await using again = await OpenenvSocket.open(server.url, path);
    const state = await again.request({ type: "state" });
    expect(state?.data).toMatchObject({ episode_id: "shared", step_count: 1 });
    const endParams = { name: "respond", arguments: { text: "end" }, session_id };
    expect(await call("tools/call", endParams)).toMatchObject({
      result: { data: "Over.", structured_content: { reward: 1, done: true } },
    });
    const closed = await call("openenv/session/close", { session_id });
    expect(closed.result).toEqual({ session_id, closed: false, closing: true });
    again.send({ type: "close" });
    await again.closed;
    expect((await call("openenv/session/close", { session_id })).error?.code).toBe(-32602);
  });

  test("closes a session, and does not find those of other environments", async ({
    call,
    createSession,
  }) => {
    const session_id = await createSession();
    expect((await call("tools/list", { session_id }, "/wiki-search/mcp")).error?.code).toBe(-32602);
    const closed = await call("openenv/session/close", { session_id });
    expect(closed.result).toEqual({ session_id, closed: true });
    expect((await call("tools/list", { session_id })).error?.code).toBe(-32602);
  });

  test("returns an error at the session limit", async () => {
    await using small = await serve([patient()], { port: 0, sessions: 1 });
    const post = async () => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "openenv/session/create" });
      const response = await fetch(`${small.url}/mcp`, { method: "POST", body });
      return response.json() as Promise<unknown>;
    };
    await post();
    expect(await post()).toMatchObject({
      error: { code: -32000, data: { active_sessions: 1, max_sessions: 1 } },
    });
    const reset = await fetch(`${small.url}/reset`, { method: "POST" });
    expect(reset.status).toBe(429);
  });

  test("uses the session of the socket over a socket", async ({ server }) => {
    await using socket = await OpenenvSocket.open(server.url);
    const rpc = async (method: string, params: object = {}) => {
      const data = { jsonrpc: "2.0", id: "x", method, params };
      return (await socket.request({ type: "mcp", data }))?.data as {
        result: object;
        error: object;
      };
    };
    await socket.reset();
    const { result } = await rpc("openenv/session/create");
    const params = { name: "respond", arguments: { text: "b" } };
    expect(await rpc("tools/call", params)).toMatchObject({ result: { data: "You said b." } });
    expect(await rpc("openenv/session/close", result)).toMatchObject({ error: { code: -32600 } });
    expect((await socket.request({ type: "mcp", data: {} }))?.data).toMatchObject({
      error: { code: -32600 },
    });
  });
});

describe("the task API", () => {
  test("lists tasks by split and index", async ({ request }) => {
    expect(await request("/list_environments")).toMatchObject({
      json: ["patient", "wiki-search", "double-check", "tictactoe"],
    });
    expect(await request("/wiki-search/splits")).toMatchObject({
      json: [
        { name: "train", type: "train" },
        { name: "eval", type: "validation" },
      ],
    });
    expect(await request("/splits")).toMatchObject({ json: [{ name: "train", type: "train" }] });
    const split = "train";
    expect(await request("/Tictactoe/num_tasks", { split })).toMatchObject({
      json: { num_tasks: 1000 },
    });
    const all = await request("/tictactoe/tasks", { split });
    const { tasks, env_name } = all.json as { tasks: { index: number }[]; env_name: string };
    expect(env_name).toBe("tictactoe");
    expect(tasks.map(({ index }) => index)).toEqual(tasks.map((_, index) => index));
    expect(await request("/tictactoe/task", { split, index: 7 })).toMatchObject({
      json: { task: tasks[7] },
    });
    const range = async (start?: number | null, stop?: number | null) =>
      (await request("/tictactoe/task_range", { split, start, stop })).json as { tasks: unknown };
    expect((await range(2, 4)).tasks).toEqual(tasks.slice(2, 4));
    expect((await range(-3)).tasks).toEqual(tasks.slice(-3));
    expect((await range(null, -998)).tasks).toEqual(tasks.slice(0, -998));
    expect((await range(990, 5000)).tasks).toEqual(tasks.slice(990));
    expect((await range(5, 2)).tasks).toEqual([]);
  });

  test("rejects unknown environments, splits and indices", async ({ request }) => {
    const split = "train";
    expect((await request("/chess/splits")).status).toBe(404);
    expect((await request("/chess/task", { split, index: 0 })).status).toBe(404);
    expect((await request("/tasks", { split: "none" })).status).toBe(400);
    expect((await request("/task", { split, index: 1 })).status).toBe(400);
    expect((await request("/task", { split, index: -1 })).status).toBe(400);
    expect((await request("/task", { split })).status).toBe(422);
    expect((await request("/num_tasks", { split, start: 1 })).status).toBe(422);
  });
});
