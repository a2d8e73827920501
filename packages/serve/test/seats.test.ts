import { defineEnvironment, end, mix } from "@envs/core";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect } from "vitest";

import { nemoRows, serveMcp } from "../src/index.ts";
import { nemoClient, rowOf, rowWithOutput, message } from "./support/nemo-client.ts";
import { orsClient } from "./support/ors-client.ts";
import { test } from "./support/test-server.ts";

/** A race to four: both sides add 1 or 2, and the last to add wins. */
const race = defineEnvironment({
  name: "race",
  dataset: () => [{ prompt: [] }],
  setup: () => ({ sum: 0, next: "first" as "first" | "second" }),
  seats: {
    players: { first: { policy: "one" }, second: { policy: "one" } },
    turn: ({ state }) => state.next,
    observe: ({ state, seat }) => `${seat} reads ${state.sum}`,
  },
  respond({ reply, state, seat }) {
    state.sum += Number(reply);
    state.next = seat === "first" ? "second" : "first";
    return state.sum >= 4 ? end() : [];
  },
  rubric: { won: ({ state, seat }) => state.sum >= 4 && state.next !== seat },
  policies: { one: () => "1" },
});

describe("an environment with seats", () => {
  test("is played in its first seat, and policies play the others", async ({ startServer }) => {
    const { openSocket } = await startServer([race()]);
    const socket = await openSocket();
    expect(JSON.stringify(await socket.reset())).toContain("first reads 0");
    expect(JSON.stringify(await socket.step({ text: "1" }))).toContain("first reads 2");
    expect((await socket.step({ text: "2" }))?.data).toMatchObject({ done: true, reward: 1 });
  });

  test("is played in the seat of a reset over OpenEnv", async ({ startServer }) => {
    const { openSocket } = await startServer([race()]);
    const socket = await openSocket();
    expect(JSON.stringify(await socket.reset({ seat: "second" }))).toContain("second reads 1");
    expect(JSON.stringify(await socket.step({ text: "1" }))).toContain("second reads 3");
    expect((await socket.step({ text: "1" }))?.data).toMatchObject({ done: true, reward: 1 });
  });

  test("is played in the seat of a session over ORS", async ({ startServer }) => {
    const client = orsClient(await startServer([race()]), "session");
    await client.post("/create", { task_spec: { split: "train", index: 0, seat: "second" } });
    expect((await client.get("/race/prompt")).text).toContain("second reads 1");
  });

  test("is played in the seat of a row over NeMo Gym", async ({ startServer }) => {
    const server = await startServer([race()]);
    const agent = nemoClient(server, "race");
    const [row] = await Array.fromAsync(nemoRows(race(), { count: 1, seat: "second" }));
    expect(row).toMatchObject({
      responses_create_params: { input: [{ role: "user", content: "second reads 1" }] },
      verifier_metadata: { index: 0, seat: "second" },
    });
    // The agent has the prompt from its row.
    expect((await agent.post("reset", row)).json).toMatchObject({ observation: null });
    const step = (text: string) => agent.post("step", rowWithOutput({ ...row }, message(text)));
    expect((await step("1")).json).toMatchObject({ observation: "second reads 3" });
    expect((await step("1")).json).toMatchObject({ terminated: true, reward: 1 });
    expect((await agent.post("seed_session", rowOf(0, { seat: "third" }))).text).toContain(
      "Its seats are: first, second.",
    );
  });

  test("has rows of the seats that it has", async () => {
    const rows = (seat: string) => Array.fromAsync(nemoRows(race(), { seat }));
    await expect(rows("third")).rejects.toThrow("Its seats are: first, second.");
    const [first] = await Array.fromAsync(nemoRows(race()));
    expect(first!.responses_create_params.input).toEqual([
      { role: "user", content: "first reads 0" },
    ]);
    expect(first!.verifier_metadata).not.toHaveProperty("seat");
  });

  test("is played in the seat of the tool start over MCP", async ({ cleanup }) => {
    const log = () => undefined;
    const serving = await serveMcp(race(), { transport: { port: 0 }, log });
    cleanup.defer(() => serving.close());
    const client = new Client({ name: "test", version: "1" });
    cleanup.defer(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(serving.url!)));
    const start = async (input: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name: "start", arguments: input })).content);
    expect(await start({})).toContain("first reads 0");
    expect(await start({ seat: "second" })).toContain("second reads 1");
    expect(await start({ seat: "third" })).toContain('expected one of \\"first\\"|\\"second\\"');
    const { tools } = await client.listTools();
    expect(tools[0]!.inputSchema.properties).toMatchObject({
      seat: { enum: ["first", "second"] },
    });
  });

  test("is played in the seat of the URL over MCP", async ({ startServer }) => {
    const server = await startServer([race()]);
    const connect = async (query: string) => {
      const params = { protocolVersion: "2025-11-25", capabilities: {} };
      const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
      const response = await fetch(`${server.url}/race/mcp${query}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return response.text();
    };
    expect(await connect("?seat=second")).toContain("second reads 1");
    expect(await connect("?seat=third")).toContain("Its seats are: first, second.");
  });

  test("is played in its own seats as a part of a mix", async ({ startServer }) => {
    const sums = defineEnvironment({
      name: "sums",
      dataset: () => [{ prompt: "1 + 1?" }],
      rubric: { right: ({ reply }) => reply === "2" },
    });
    const both = mix({
      name: "both",
      parts: { race: { environment: race }, sums: { environment: sums } },
    });
    const { openSocket } = await startServer([both()]);
    const socket = await openSocket();
    const reset = async (index: number) =>
      JSON.stringify(await socket.request({ type: "reset", data: { index, seat: "second" } }));
    expect(await reset(0)).toContain("second reads 1");
    expect(await reset(1)).toContain('sums has no seat named \\"second\\". It has no seats.');
  });

  test("compares rollouts of one seat only", async ({ startServer }) => {
    const { definition } = race();
    const compared = defineEnvironment({
      ...definition,
      metrics: { size: { group: (rollouts: readonly unknown[]) => rollouts.map(() => 1) } },
      rubric: { best: { group: (rollouts: readonly unknown[]) => rollouts.map(() => 1) } },
    } as typeof definition);
    const { url } = await startServer([compared() as never], { groupSize: 2 });
    const play = async (session: string, seat: string) => {
      const client = orsClient({ url }, session);
      await client.post("/create", { task_spec: { split: "train", index: 0, seat } });
      for (let turn = 0; turn < 2; turn += 1)
        await client.post("/race/call", { name: "respond", input: { text: "2" } });
    };
    await Promise.all([play("a", "first"), play("b", "second"), play("c", "second")]);
    const score = async (...sessions: readonly string[]) =>
      (await orsClient({ url }).post("/race/score_group", { sessions })).text;
    expect(await score("a", "b")).toContain("A group has rollouts of one seat.");
    expect(await score("b", "c")).toContain('"reward":1');
  });

  test("rejects a seat that it does not have", async ({ startServer }) => {
    const { openSocket } = await startServer([race()]);
    const socket = await openSocket();
    const answer = await socket.request({ type: "reset", data: { seat: "third" } });
    expect(JSON.stringify(answer)).toContain(
      'race has no seat named \\"third\\". Its seats are: first, second.',
    );
  });
});
