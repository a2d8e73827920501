import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { gate, stage } from "./fixtures/stage.ts";
import { type CallResult, orsClient } from "./support/ors-client.ts";
import { playCore } from "./support/play-core.ts";

const first = { split: "train", index: 0 };
const respond = (text: string) => ({ name: "respond", input: { text } });

describe("a call of ORS", () => {
  test("takes a move; the last one has the reward and the scores, and what comes after has none", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const { post, call } = orsClient(server, "a");
    await post("/create", { split: "train", index: 1 });
    const replies = [0, 1, 2].map((move) => `<think>a</think>\n<move>${move}</move>`);
    const results: CallResult[] = [];
    for (const text of [...replies, "1"])
      results.push(await call("/tictactoe/call", "respond", { text }));
    const [one, two, last, after] = results.map(({ output }) => output!);
    for (const output of [one, two])
      expect(output).toMatchObject({ reward: null, metadata: null, finished: false });
    const core = await playCore(tictactoe(), { index: 1 }, replies);
    expect(last).toEqual({
      blocks: [{ type: "text", text: expect.stringContaining("You win.") }],
      reward: core.reward,
      metadata: { stop_reason: "end", is_truncated: false, scores: core.scores },
      finished: true,
    });
    expect(after).toEqual({
      blocks: [{ type: "text", text: "The episode is over." }],
      reward: null,
      metadata: null,
      finished: true,
    });
  });

  test("calls the tools that there are", async () => {
    await using server = await serve([tictactoe(), wikiSearch()], { port: 0 });
    const { post, get, call } = orsClient(server, "a");
    await post("/create", { env_name: "wiki-search", split: "eval", index: 0 });
    const { tools } = (await get("/wiki-search/tools")).json as {
      tools: { name: string; description: unknown; input_schema: { type: unknown } }[];
    };
    expect(tools.map(({ name }) => name)).toEqual(["search", "open", "read", "respond"]);
    for (const { description, input_schema } of tools)
      expect([typeof description, input_schema.type]).toEqual(["string", "object"]);
    expect((await get("/wiki-search/task_tools")).json).toEqual({ tools });
    // Which environment that is, the session says, not the path.
    expect((await get("/tictactoe/task_tools")).json).toEqual({ tools });
    const found = await call("/tictactoe/call", "search", { query: "Paris", limit: null });
    expect(found.output!.blocks[0]!.text).toMatch("[paris-ile-de-france-france]");
    const wrong = await call("/wiki-search/call", "search", { query: 5 });
    expect(wrong).toMatchObject({ ok: true, output: { reward: null, finished: false } });
    expect(wrong.output!.blocks[0]!.text).toMatch("do not fit");
    const last = await call("/wiki-search/call", "respond", { text: "<answer>Oz</answer>" });
    expect(last.output).toMatchObject({
      reward: 0,
      finished: true,
      metadata: { scores: { exact: 0, toolUse: 2 } },
    });
  });

  test("is refused if there is no such tool, or its input is none", async () => {
    await using server = await serve([stage()], { port: 0 });
    const { post, call } = orsClient(server, "a");
    await post("/create", first);
    expect(await call("/stage/call", "fly", {})).toEqual({
      ok: false,
      error: 'There is no tool named "fly". Use one of: respond.',
      reason: "not_found",
    });
    for (const input of [null, 5, "a", ["a"], {}, { text: 5 }])
      expect(await call("/stage/call", "respond", input)).toMatchObject({
        ok: false,
        reason: "input_validation",
      });
    expect(await call("/stage/call", "respond", { text: "a" })).toMatchObject({
      ok: true,
      output: { blocks: [{ text: "a" }] },
    });
    for (const body of [{ input: {} }, { name: "respond" }, []])
      expect((await post("/stage/call", body)).status).toBe(422);
  });

  test("that the environment fails is an error, without what the environment knows", async () => {
    await using server = await serve([stage()], { port: 0 });
    const { post } = orsClient(server, "a");
    await post("/create", first);
    const { status, events, text } = await post("/stage/call", respond("throw"));
    expect([status, events.map(({ event }) => event)]).toEqual([200, ["task_id", "error"]]);
    expect(events[1]!.data).toMatch(/^The environment failed/u);
    expect(text).not.toMatch("s3cret");
  });

  test("has its long result in pieces of 4096 characters", async () => {
    await using server = await serve([stage()], { port: 0 });
    const { post } = orsClient(server, "a");
    await post("/create", first);
    const { events } = await post("/stage/call", respond("long"));
    const pieces = events.slice(1);
    expect(pieces.length).toBeGreaterThan(10);
    expect(new Set(pieces.slice(0, -1).map(({ event }) => event))).toEqual(new Set(["chunk"]));
    expect(pieces.at(-1)!.event).toBe("end");
    for (const { data } of pieces) expect(data.length).toBeLessThanOrEqual(4096);
    const result = JSON.parse(pieces.map(({ data }) => data).join("")) as CallResult;
    expect(result.output!.blocks[0]!.text).toBe("Ünd 😀 \u00a0 so\n on. ".repeat(3000));
  });

  test("takes its turn", async () => {
    await using server = await serve([stage()], { port: 0 });
    const { post, call } = orsClient(server, "a");
    await post("/create", first);
    const results: CallResult[] = [];
    await Promise.all(
      ["a", "b", "c"].map(async (text) =>
        results.push(await call("/stage/call", "respond", { text })),
      ),
    );
    const texts = results.map(({ output }) => output!.blocks[0]!.text);
    expect(texts.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([1, 3, 5]);
  });

  test("waits with no more than 63 others", async () => {
    const { opened, open } = gate();
    await using server = await serve([stage({ opened })], { port: 0 });
    const { post } = orsClient(server, "a");
    await post("/create", first);
    const all = Array.from({ length: 70 }, () => post("/stage/call", respond("wait")));
    await expect.poll(async () => (await post("/stage/call", respond("wait"))).status).toBe(429);
    open();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(64);
    expect(statuses.filter((status) => status === 429)).toHaveLength(6);
  });
});

describe("a stream that was lost", () => {
  test("is taken up again, and the move is made once", async () => {
    const { opened, open } = gate();
    await using server = await serve([stage({ opened })], { port: 0 });
    const { post, call } = orsClient(server, "a");
    await post("/create", first);
    const id = await callAndLeave(`${server.url}/stage/call`, respond("wait"));
    const again = post("/stage/call", { ...respond("wait"), task_id: id });
    const ping = await post("/ping");
    expect(ping.status).toBe(200);
    open();
    const { events } = await again;
    expect(events[0]).toEqual({ event: "task_id", data: id });
    expect(JSON.parse(events[1]!.data)).toMatchObject({ output: { blocks: [{ text: "wait" }] } });
    expect((await post("/stage/call", { ...respond("b"), task_id: id })).events).toEqual(events);
    expect(await call("/stage/call", "respond", { text: "c" })).toMatchObject({
      output: { blocks: [{ text: "wait c" }] },
    });
    await post("/delete");
    expect((await post("/stage/call", { ...respond("b"), task_id: id })).events).toEqual(events);
  });

  test("of another session, or of none, is unknown", async () => {
    await using server = await serve([stage()], { port: 0 });
    const [one, other] = [orsClient(server, "a"), orsClient(server, "b")];
    for (const { post } of [one, other]) await post("/create", first);
    const { events } = await one.post("/stage/call", respond("a"));
    for (const id of [events[0]!.data, "nonsense", ""])
      expect((await other.post("/stage/call", { ...respond("a"), task_id: id })).events).toEqual([
        { event: "error", data: "unknown task_id" },
      ]);
  });

  test("does not keep the server from closing", async () => {
    const server = await serve([stage()], { port: 0 });
    const { post } = orsClient(server, "a");
    await post("/create", first);
    await callAndLeave(`${server.url}/stage/call`, respond("wait"));
    const open = post("/stage/call", respond("a")).catch(() => "cut off");
    await post("/ping");
    await server.close();
    expect(["cut off", 200]).toContainEqual(await open.then((it) => (it === "cut off" ? it : 200)));
  });
});

/** Begins a call, and hangs up as soon as its id is known. */
async function callAndLeave(url: string, body: object): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "x-session-id": "a" },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  const { value } = await response.body!.pipeThrough(new TextDecoderStream()).getReader().read();
  leaving.abort();
  return /^data: (?<id>.*)$/mu.exec(value!)!.groups!.id!;
}
