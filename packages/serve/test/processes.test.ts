import { isConfigError } from "@envs/core/engine";
import { describe, expect } from "vitest";

import { serve } from "../src/index.ts";
import { message, nemoClient, rowOf, rowWithOutput } from "./support/nemo-client.ts";
import { OpenenvSocket } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";
import { test as serverTest } from "./support/test-server.ts";

const module = new URL("fixtures/demanding.ts", import.meta.url).href;
const test = serverTest.extend("shared", { scope: "file" }, async ({}, { onCleanup }) => {
  const server = await serve([{ module }], { port: 0, processes: 2 });
  onCleanup(() => server.close());
  return server;
});

describe("a server of two processes", () => {
  test("selects the next example over all processes, and spreads sockets over them", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 2 });
    const sockets = [];
    for (let count = 0; count < 6; count += 1) sockets.push(await server.openSocket());
    const indices = [];
    const pids = new Set<unknown>();
    for (const socket of sockets) {
      await socket.reset();
      const { task } = (await socket.request({ type: "state" }))!.data as {
        readonly task: { readonly index: number };
      };
      indices.push(task.index);
      const reply = await socket.step({ text: "pid" });
      pids.add((reply!.data.observation as { readonly text: string }).text);
    }
    expect(indices).toEqual([0, 1, 2, 3, 4, 0]);
    expect(pids.size).toBe(2);
    expect(pids).not.toContain(String(process.pid));
  });

  test("plays a session of ORS", async ({ shared: server }) => {
    const { post } = orsClient(server, "one");
    expect((await post("/create", { split: "train", index: 2 })).status).toBe(200);
    expect((await post("/create", { split: "train", index: 2 })).status).toBe(400);
    for (let count = 0; count < 4; count += 1) {
      const { text } = await post("/demanding/call", { name: "respond", input: { text: "more" } });
      expect(text).toContain("Go on.");
    }
    const { text } = await post("/demanding/call", { name: "respond", input: { text: "think" } });
    expect(text).toContain('"reward":1');
    for (let count = 0; count < 3; count += 1) expect((await post("/delete")).status).toBe(200);
    for (let count = 0; count < 3; count += 1) expect((await post("/ping")).status).toBe(410);
  });

  test("plays a session of NeMo Gym, by cookie or by name", async ({ shared: server }) => {
    const send = (path: string, body: object, cookie = "") =>
      fetch(`${server.url}/nemo/demanding/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify(body),
      });
    const named = { task_data: rowOf(0), resources_session_id: "mine" };
    const cookies = [];
    for (let count = 0; count < 4; count += 1) {
      const response = await send("seed_session", named);
      expect(response.status).toBe(200);
      cookies.push(response.headers.get("set-cookie")!.split(";")[0]!);
    }
    expect(new Set(cookies).size).toBe(1);
    for (let count = 0; count < 3; count += 1) {
      const result = await send("verify", rowWithOutput(rowOf(0), message("think")), cookies[0]);
      expect(await result.json()).toMatchObject({ reward: 1 });
    }
    const agent = nemoClient(server, "demanding");
    await agent.post("reset", rowOf(1));
    const { json } = await agent.post("step", rowWithOutput(rowOf(1), message("think")));
    expect(json).toMatchObject({ reward: 1 });
  });

  test("connects a socket to a session that was created over MCP", async ({ shared: server }) => {
    const rpc = async (method: string, params: object) => {
      const response = await fetch(`${server.url}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
      return ((await response.json()) as { readonly result: Record<string, unknown> }).result;
    };
    for (let count = 0; count < 2; count += 1) {
      const { session_id } = await rpc("openenv/session/create", {});
      await using socket = await OpenenvSocket.open(
        server.url,
        `/ws?session_id=${String(session_id)}`,
      );
      expect(await socket.reset({ index: 3 })).toMatchObject({ type: "observation" });
      const call = { session_id, name: "respond", arguments: { text: "more" } };
      for (let calls = 0; calls < 2; calls += 1)
        expect(await rpc("tools/call", call)).toMatchObject({ data: "Go on." });
    }
  });

  test("shares the session limit, and reports it in its health and metrics", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 2, sessions: 3 });
    const codes = [];
    for (let count = 0; count < 4; count += 1) {
      const socket = await server.openSocket();
      codes.push((await socket.reset())!.data.code);
    }
    expect(codes).toEqual([undefined, undefined, undefined, "CAPACITY_REACHED"]);
    const health = await fetch(`${server.url}/health`);
    expect(await health.json()).toMatchObject({
      status: "healthy",
      sessions: { open: 3, max: 3, busy: 0, stuck: 0 },
      processes: { ready: 2, blocked: 0, killed: 0, crashed: 0 },
    });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toContain("\nenvs_sessions_open 3\n");
  });

  test("loses only the session whose environment did not handle a rejection", async ({
    startServer,
  }) => {
    const server = await startServer([{ module }], { processes: 1 });
    const [faulty, other] = [await server.openSocket(), await server.openSocket()];
    await faulty.reset();
    await other.reset();
    const frames = [];
    for (const text of ["reject", "more", "more"]) frames.push(await faulty.step({ text }));
    expect(frames.at(-1)).toMatchObject({ type: "error", data: { code: "EXECUTION_ERROR" } });
    expect(await other.step({ text: "think" })).toMatchObject({ data: { reward: 1 } });
    expect(await faulty.reset()).toMatchObject({ type: "observation" });
  });
});

describe("a server of references", () => {
  test("serves several references with their configs", async () => {
    await using server = await serve(
      [{ module, config: { examples: 2 } }, { module: "@envs/reverse-text" }],
      { port: 0, processes: 1 },
    );
    const names = await fetch(`${server.url}/list_environments`);
    expect(await names.json()).toEqual(["demanding", "reverse-text"]);
  });

  test.each([0, 1])("rejects invalid references, with %i processes", async (processes) => {
    const serveReference = (reference: Parameters<typeof serve>[0][number]) =>
      serve([reference], { port: 0, processes });
    await expect(serveReference({ module: "@envs/nothing" })).rejects.toSatisfy(isConfigError);
    await expect(serveReference({ module: "node:fs" })).rejects.toThrow(
      "does not export an environment",
    );
    const starting = serveReference({ module, config: { examples: 0 } });
    await expect(starting).rejects.toSatisfy(isConfigError);
    await expect(starting).rejects.toThrow("examples");
  });

  test("reports a port that is in use, and ends its processes", async ({ startServer }) => {
    const { url } = await startServer([{ module }], { processes: 1 });
    const port = Number(new URL(url).port);
    await expect(serve([{ module }], { port, processes: 1 })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });
});
