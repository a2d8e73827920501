import tictactoe from "@envs/tictactoe";
import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { gate, stage } from "./fixtures/stage.ts";
import { orsClient } from "./support/ors-client.ts";

const first = { split: "train", index: 0 };
const slow = { split: "train", index: 1 };
const broken = { split: "train", index: 2 };

describe("a session of ORS", () => {
  test("is created, returns its prompt, responds to pings, and is deleted", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const created = await orsClient(server).post("/create_session", {});
    expect(created.type).toMatch("text/event-stream");
    expect(created.events).toEqual([
      { event: "task_id", data: expect.stringMatching(/^[\da-f-]{36}$/u) },
      { event: "end", data: "" },
    ]);
    const sid = created.events[0]!.data;
    const { get, post } = orsClient(server, sid);
    expect(await post("/ping")).toMatchObject({ status: 404 });
    expect(await post("/create", first)).toMatchObject({ status: 200, json: { sid } });
    expect((await get("/tictactoe/prompt")).json).toEqual([
      { type: "text", text: expect.stringMatching(/^You play tic-tac-toe[^]*\n\n$/u) },
      { type: "text", text: expect.stringContaining("It is your turn.") },
    ]);
    expect(await post("/ping")).toMatchObject({ status: 200, json: { status: "ok" } });
    expect(await post("/delete")).toMatchObject({ status: 200, json: { sid } });
    expect(await post("/delete")).toMatchObject({ status: 200, json: { sid } });
    expect(await post("/delete_session")).toMatchObject({ status: 200, json: { sid } });
    for (const { status } of [await post("/ping"), await get("/tictactoe/prompt")])
      expect(status).toBe(410);
    expect(await post("/create", first)).toMatchObject({ status: 200 });
    expect(await post("/ping")).toMatchObject({ status: 200 });
  });

  test("accepts pings with a body of any type", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const { post, send } = orsClient(server, "a");
    await post("/create", first);
    for (const type of ["application/octet-stream", "application/json", "text/plain"])
      for (const body of ["", "{}"])
        expect(
          await send("/ping", { method: "POST", body }, { "content-type": type }),
        ).toMatchObject({ status: 200 });
  });

  test("has the same prompt each time a task is selected", async () => {
    await using server = await serve([stage(), tictactoe()], { port: 0 });
    const { json } = await orsClient(server).post("/tictactoe/task", { ...first, index: 5 });
    const { task, env_name } = json as { task: object; env_name: string };
    const prompts = await Promise.all(
      [
        { env_name, task_spec: task },
        { env_name: "TicTacToe", split: "train", index: 5 },
        { env_name, task_spec: { index: 5, seed: 3 } },
        { env_name, task_spec: { seed: 5 } },
      ].map(async (body, place) => {
        const { post, get } = orsClient(server, `session ${place}`);
        expect((await post("/create", body)).status).toBe(200);
        return (await get("/tictactoe/prompt")).text;
      }),
    );
    expect(new Set(prompts).size).toBe(1);
  });

  test("is rejected with a reason", async () => {
    await using server = await serve([stage(), tictactoe()], { port: 0 });
    const { post } = orsClient(server, "a");
    const create = async (body: object) => {
      const { status, json } = await post("/create", body);
      return [status, (json as { detail: unknown }).detail];
    };
    expect(await create({ split: "none", index: 0 })).toEqual([
      400,
      'stage has no split "none". Use one of: train.',
    ]);
    expect(await create({ split: "train", index: 3 })).toEqual([
      400,
      "The split train of stage has no example 3. It has 3 examples, counted from 0.",
    ]);
    expect(await create({ split: "train", index: -1 })).toMatchObject([400, /^Invalid task/u]);
    expect(await create({ task_spec: { index: "0" } })).toMatchObject([400, /^Invalid task/u]);
    expect(await create({ task_spec: { index: 0, id: "no" } })).toMatchObject([400, /not no\./u]);
    expect(await create({ env_name: "chess", ...first })).toEqual([
      404,
      'There is no environment named "chess". Use one of: stage, tictactoe.',
    ]);
    for (const body of [
      {},
      { split: "train" },
      { index: 0 },
      { task_spec: first, ...first },
      { task_spec: {}, index: 0 },
      { toolset_name: "codex", ...first },
    ])
      expect((await post("/create", body)).status).toBe(422);
    expect((await post("/ping")).status).toBe(404);
    expect((await post("/create", first)).status).toBe(200);
    expect(await create(first)).toMatchObject([400, /already exists/u]);
  });

  test("needs an id", async () => {
    await using server = await serve([stage()], { port: 0 });
    const anonymous = orsClient(server);
    const long = { "x-session-id": "a".repeat(201) };
    for (const [path, body] of [
      ["/create", first],
      ["/ping", {}],
      ["/delete", {}],
      ["/delete_session", {}],
      ["/stage/call", { name: "respond", input: {} }],
    ] as const) {
      expect((await anonymous.post(path, body)).status).toBe(400);
      expect((await anonymous.post(path, body, { "x-session-id": "  " })).status).toBe(400);
      expect((await anonymous.post(path, body, long)).status).toBe(400);
    }
    expect((await anonymous.get("/stage/prompt")).status).toBe(400);
    expect((await anonymous.get("/stage/task_tools")).status).toBe(400);
  });

  test("is unknown before it is created", async () => {
    await using server = await serve([stage()], { port: 0 });
    const { get, post } = orsClient(server, "unknown");
    for (const { status } of [
      await get("/stage/prompt"),
      await get("/stage/task_tools"),
      await post("/ping"),
      await post("/stage/call", { name: "respond", input: {} }),
      await post("/stage/call", { name: "respond", input: {}, task_id: "a" }),
    ])
      expect(status).toBe(404);
  });

  test("is set up in the background, and its prompt waits for the setup", async () => {
    const { opened, open } = gate();
    await using server = await serve([stage({ opened })], { port: 0 });
    const { get, post, call } = orsClient(server, "a");
    expect((await post("/create", slow)).status).toBe(200);
    const order: string[] = [];
    const prompt = get("/stage/prompt").finally(() => order.push("prompt"));
    const result = call("/stage/call", "respond", { text: "Hello." });
    expect((await post("/ping")).status).toBe(200);
    order.push("ping");
    open();
    expect((await prompt).json).toMatchObject([{ text: "Do something.\n\n" }, { text: "slow" }]);
    expect(order).toEqual(["ping", "prompt"]);
    expect(await result).toMatchObject({ ok: true, output: { blocks: [{ text: "Hello." }] } });
  });

  test("returns an error without its cause if the setup fails", async () => {
    await using server = await serve([stage()], { port: 0 });
    const { get, post } = orsClient(server, "a");
    expect((await post("/create", broken)).status).toBe(200);
    const prompt = await get("/stage/prompt");
    expect(prompt).toMatchObject({ status: 500, json: { detail: /^The environment failed/u } });
    const { events } = await post("/stage/call", { name: "respond", input: { text: "a" } });
    expect(events[1]).toMatchObject({ event: "error", data: /^The environment failed/u });
    expect(prompt.text + events[1]!.data).not.toMatch("s3cret");
    expect((await post("/delete")).status).toBe(200);
  });

  test("fails pending requests when it is deleted during the setup", async () => {
    const { opened, open } = gate();
    await using server = await serve([stage({ opened })], { port: 0 });
    const { get, post } = orsClient(server, "a");
    await post("/create", slow);
    const prompt = get("/stage/prompt");
    const call = post("/stage/call", { name: "respond", input: { text: "a" } });
    await post("/ping");
    await post("/delete");
    open();
    expect((await prompt).status).toBe(410);
    expect((await call).events.at(-1)).toMatchObject({ event: "error" });
  });

  test("counts against the limit until it is deleted", async () => {
    await using server = await serve([stage()], { port: 0, sessions: 1 });
    const [one, other] = [orsClient(server, "a"), orsClient(server, "b")];
    await one.post("/create", first);
    expect(await other.post("/create", first)).toMatchObject({
      status: 429,
      json: { detail: /^All 1 sessions are in use/u },
    });
    await one.post("/delete");
    expect((await other.post("/create", first)).status).toBe(200);
  });

  test("is closed when it is idle", async () => {
    await using server = await serve([stage()], { port: 0, idleTimeout: 40 });
    const { post } = orsClient(server, "a");
    await post("/create", first);
    await expect.poll(() => post("/ping"), { interval: 200 }).toMatchObject({ status: 410 });
  });
});
