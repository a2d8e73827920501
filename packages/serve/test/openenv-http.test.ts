import doubleCheck from "@envs/double-check";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type EnvironmentServer, serve } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";

let server: EnvironmentServer;
beforeAll(async () => {
  server = await serve([patient(), wikiSearch(), doubleCheck(), tictactoe()], { port: 0 });
});
afterAll(() => server.close());

async function ask(path: string, body?: unknown): Promise<{ status: number; json: never }> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
  const response = await fetch(`${server.url}${path}`, body === undefined ? {} : init);
  return { status: response.status, json: (await response.json()) as never };
}

describe("over HTTP, OpenEnv", () => {
  test("tells what is served: for each environment by name, and for the first without", async () => {
    expect(await ask("/health")).toEqual({ status: 200, json: { status: "healthy" } });
    expect(await ask("/metadata")).toMatchObject({ json: { name: "patient" } });
    expect(await ask("/wiki-search/metadata")).toMatchObject({ json: { name: "wiki-search" } });
    expect(await ask("/schema")).toMatchObject({
      json: { action: { title: "TextAction", required: ["text"] }, observation: {}, state: {} },
    });
    expect(await ask("/wiki-search/schema")).toMatchObject({
      json: { action: { title: "CallToolAction", required: ["tool_name"] } },
    });
  });

  test("resets and steps episodes that stand alone", async () => {
    const opening = { observation: { text: "Wait." }, reward: null, done: false };
    expect(await ask("/reset", {})).toEqual({ status: 200, json: opening });
    const bodiless = await fetch(`${server.url}/reset`, { method: "POST" });
    expect(await bodiless.json()).toEqual(opening);
    const stepped = await ask("/step", { action: { text: "a" }, request_id: "r" });
    expect(stepped).toMatchObject({ status: 200, json: { observation: { text: "You said a." } } });
    const listed = await ask("/wiki-search/step", { action: { type: "list_tools" } });
    expect(listed).toMatchObject({ status: 200, json: { observation: { tools: {} } } });
    expect(await ask("/state")).toMatchObject({ json: { episode_id: null, step_count: 0 } });
  });

  test("refuses what does not fit, and says what is wrong", async () => {
    expect(await ask("/reset", { seed: -1 })).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ["body", "seed"] }] },
    });
    expect((await ask("/reset", { indx: 1 })).status).toBe(422);
    expect((await ask("/reset", { index: 9 })).status).toBe(400);
    expect((await ask("/step", { action: { move: 1 } })).status).toBe(422);
    expect((await ask("/step", {})).status).toBe(422);
    expect((await ask("/step", "{")).status).toBe(400);
    const thrown = await ask("/step", { action: { text: "throw" } });
    expect(thrown.status).toBe(500);
    expect(JSON.stringify(thrown)).not.toContain("s3cret");
  });

  test("gives up a step that takes too long", async () => {
    const late = await ask("/step", { action: { text: "wait" }, timeout_s: 0.05 });
    expect(late).toMatchObject({ status: 408, json: { detail: expect.stringContaining("0.05") } });
  });

  test("describes itself in OpenAPI: what is there, and what it takes", async () => {
    const { json } = await ask("/openapi.json");
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
    expect(await ask("/wiki-search/openapi.json")).toMatchObject({
      json: {
        info: { title: "wiki-search", version: "1.0.0" },
        paths: { "/reset": {}, "/mcp": {} },
      },
    });
    expect(paths["/reset"]).toMatchObject({ post: { requestBody: {}, responses: { 200: {} } } });
  });
});

describe("over HTTP, MCP", () => {
  let id = 0;
  const call = async (method: string, params: object = {}, path = "/mcp") => {
    id += 1;
    const answer = await ask(path, { jsonrpc: "2.0", id, method, params });
    expect(answer).toMatchObject({ status: 200, json: { jsonrpc: "2.0", id } });
    return answer.json as { result?: never; error?: { code: number; data?: unknown } };
  };
  const create = async (path?: string): Promise<string> => {
    const { result } = await call("openenv/session/create", {}, path);
    return (result as unknown as { session_id: string }).session_id;
  };

  test("answers 200 whatever comes", async () => {
    for (const [body, code] of [
      ["{", -32700],
      ["", -32700],
      [{}, -32600],
      [[], -32600],
      [{ jsonrpc: "2.0", method: "dance" }, -32601],
      [{ jsonrpc: "2.0", method: "tools/call" }, -32602],
      [{ jsonrpc: "2.0", method: "tools/call", params: { name: "respond" } }, -32602],
      [{ jsonrpc: "2.0", method: "openenv/session/close" }, -32602],
    ] as const)
      expect(await ask("/mcp", body)).toMatchObject({ status: 200, json: { error: { code } } });
  });

  test("lists tools as MCP names them", async () => {
    const { result } = await call("tools/list", {}, "/wiki-search/mcp");
    expect(result).toMatchObject({ tools: [{ name: "search", inputSchema: {} }, {}, {}, {}] });
  });

  test("makes a session that a socket speaks for, and that outlives the socket", async () => {
    const session_id = await create();
    const path = `/ws?session_id=${session_id}`;
    const said = { name: "respond", arguments: { text: "a" }, session_id };
    expect((await call("tools/call", said)).error?.code).toBe(-32000);
    {
      await using socket = await OpenenvSocket.open(server.url, path);
      await socket.reset({ episode_id: "shared" });
      expect(await call("tools/call", said)).toMatchObject({ result: { data: "You said a." } });
      expect((await call("tools/call", { name: "respond", session_id })).error?.code).toBe(-32602);
      await using second = await OpenenvSocket.open(server.url, path);
      expect((await second.next())?.data.code).toBe("SESSION_ERROR");
      socket.send({ type: "close" });
      await socket.closed;
    }
    await using again = await OpenenvSocket.open(server.url, path);
    const state = await again.ask({ type: "state" });
    expect(state?.data).toMatchObject({ episode_id: "shared", step_count: 1 });
    const params = { name: "respond", arguments: { text: "end" }, session_id };
    expect(await call("tools/call", params)).toMatchObject({
      result: { data: "Over.", structured_content: { reward: 1, done: true } },
    });
    const closed = await call("openenv/session/close", { session_id });
    expect(closed.result).toEqual({ session_id, closed: false, closing: true });
    again.send({ type: "close" });
    await again.closed;
    expect((await call("openenv/session/close", { session_id })).error?.code).toBe(-32602);
  });

  test("closes a session, which then is unknown, as is one of another environment", async () => {
    const session_id = await create();
    expect((await call("tools/list", { session_id }, "/wiki-search/mcp")).error?.code).toBe(-32602);
    const closed = await call("openenv/session/close", { session_id });
    expect(closed.result).toEqual({ session_id, closed: true });
    expect((await call("tools/list", { session_id })).error?.code).toBe(-32602);
  });

  test("says when all sessions are taken", async () => {
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

  test("speaks over a socket too, for the session of that socket", async () => {
    await using socket = await OpenenvSocket.open(server.url);
    const rpc = async (method: string, params: object = {}) => {
      const data = { jsonrpc: "2.0", id: "x", method, params };
      return (await socket.ask({ type: "mcp", data }))?.data as { result: object; error: object };
    };
    await socket.reset();
    const { result } = await rpc("openenv/session/create");
    const said = { name: "respond", arguments: { text: "b" } };
    expect(await rpc("tools/call", said)).toMatchObject({ result: { data: "You said b." } });
    expect(await rpc("openenv/session/close", result)).toMatchObject({ error: { code: -32600 } });
    expect((await socket.ask({ type: "mcp", data: {} }))?.data).toMatchObject({
      error: { code: -32600 },
    });
  });
});

describe("the tasks that OpenEnv and ORS share", () => {
  test("are told by split and place", async () => {
    expect(await ask("/list_environments")).toMatchObject({
      json: ["patient", "wiki-search", "double-check", "tictactoe"],
    });
    expect(await ask("/wiki-search/splits")).toMatchObject({
      json: [
        { name: "train", type: "train" },
        { name: "eval", type: "validation" },
      ],
    });
    expect(await ask("/splits")).toMatchObject({ json: [{ name: "train", type: "train" }] });
    const split = "train";
    expect(await ask("/Tictactoe/num_tasks", { split })).toMatchObject({
      json: { num_tasks: 1000 },
    });
    const all = await ask("/tictactoe/tasks", { split });
    const { tasks, env_name } = all.json as { tasks: { index: number }[]; env_name: string };
    expect(env_name).toBe("tictactoe");
    expect(tasks.map(({ index }) => index)).toEqual(tasks.map((_, index) => index));
    expect(await ask("/tictactoe/task", { split, index: 7 })).toMatchObject({
      json: { task: tasks[7] },
    });
    const range = async (start?: number | null, stop?: number | null) =>
      (await ask("/tictactoe/task_range", { split, start, stop })).json as { tasks: unknown };
    expect((await range(2, 4)).tasks).toEqual(tasks.slice(2, 4));
    expect((await range(-3)).tasks).toEqual(tasks.slice(-3));
    expect((await range(null, -998)).tasks).toEqual(tasks.slice(0, -998));
    expect((await range(990, 5000)).tasks).toEqual(tasks.slice(990));
    expect((await range(5, 2)).tasks).toEqual([]);
  });

  test("that there are not are refused", async () => {
    const split = "train";
    expect((await ask("/chess/splits")).status).toBe(404);
    expect((await ask("/chess/task", { split, index: 0 })).status).toBe(404);
    expect((await ask("/tasks", { split: "none" })).status).toBe(400);
    expect((await ask("/task", { split, index: 1 })).status).toBe(400);
    expect((await ask("/task", { split, index: -1 })).status).toBe(400);
    expect((await ask("/task", { split })).status).toBe(422);
    expect((await ask("/num_tasks", { split, start: 1 })).status).toBe(422);
  });
});
