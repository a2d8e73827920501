import doubleCheck from "@envs/double-check";
import reverseText from "@envs/reverse-text";
import wikiSearch from "@envs/wiki-search";
import { afterEach, describe, expect, test } from "vitest";

import { type EnvironmentServer, serve, type ServeOptions } from "../src/index.ts";
import { patient } from "./fixtures/patient.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";

const closing: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of closing.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function start(
  environments: Parameters<typeof serve>[0],
  options: ServeOptions = {},
): Promise<EnvironmentServer & { open(path?: string): Promise<OpenenvSocket> }> {
  const server = await serve(environments, { port: 0, ...options });
  closing.push(server);
  const open = async (path?: string) => {
    const socket = await OpenenvSocket.open(server.url, path);
    closing.push(socket);
    return socket;
  };
  return { ...server, open };
}

const observed = (observation: object, reward: number | null = null) => ({
  type: "observation",
  data: { observation, reward, done: reward !== null },
});

describe("a socket", () => {
  test("plays episodes: the reward and the scores come once, with the last observation", async () => {
    const { open } = await start([patient({ cancelled: 0, closed: 0 })]);
    const socket = await open();
    expect(await socket.reset()).toEqual(observed({ text: "Wait." }));
    expect(await socket.step({ text: "a" })).toEqual(observed({ text: "You said a." }));
    const ending = { stop_reason: "end", is_truncated: false, scores: { fine: 1, never: null } };
    expect(await socket.step({ text: "end" })).toEqual(observed({ text: "Over.", ...ending }, 1));
    const after = await socket.step({ text: "end" });
    expect(after?.data).toMatchObject({ reward: null, done: true });
    expect(await socket.ask({ type: "state" })).toMatchObject({
      type: "state",
      data: { step_count: 2, done: true, reward: 1, task: { split: "train", index: 0 } },
    });
    expect(await socket.reset({ episode_id: "again" })).toEqual(observed({ text: "Wait." }));
    expect(await socket.ask({ type: "state" })).toMatchObject({
      data: { episode_id: "again", step_count: 0, done: false, reward: null },
    });
  });

  test("has a system prompt at the reset, apart from the text", async () => {
    const { open } = await start([reverseText()]);
    const socket = await open();
    const opening = await socket.reset({ index: 0 });
    expect(opening?.data.observation).toEqual({
      system_prompt: expect.stringContaining("reverse") as string,
      text: expect.any(String) as string,
    });
  });

  test("begins the example that is asked for: by place, by seed, by its task, or the next", async () => {
    const { url, open } = await start([doubleCheck()]);
    const socket = await open();
    const text = async (data: object) => {
      const opening = await socket.reset(data);
      return (opening?.data.observation as { text: string } | undefined)?.text;
    };
    const [first, second] = [await text({}), await text({})];
    expect(first).not.toBe(second);
    const { data } = (await socket.ask({ type: "state" }))!;
    const { split } = data.task as { split: string };
    expect(await text({ index: 0 })).toBe(first);
    expect(await text({ split, index: 1, seed: 12 })).toBe(second);
    expect(await text({ seed: 1 })).toBe(second);
    const { num_tasks: size } = (await post(`${url}/num_tasks`, { split })) as {
      num_tasks: number;
    };
    expect(await text({ seed: size + 1 })).toBe(second);
    const { task } = (await post(`${url}/task`, { split, index: 1 })) as { task: object };
    expect(await text(task as never)).toBe(second);
    const other = await socket.reset({ ...task, id: "another" });
    expect(other?.data).toMatchObject({ code: "EXECUTION_ERROR" });
  });

  test("serves the tools of an environment, listed before any reset", async () => {
    const { open } = await start([wikiSearch()]);
    const socket = await open();
    const listed = await socket.step({ type: "list_tools" });
    const { tools } = listed!.data.observation as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(["search", "open", "read", "respond"]);
    expect(tools[0]).toMatchObject({ input_schema: { required: ["query"] } });
    await socket.reset({ split: "eval", index: 0 });
    const call = { type: "call_tool", tool_name: "search", arguments: { query: "Paris" } };
    expect((await socket.step(call))?.data.observation).toEqual({
      tool_name: "search",
      result: expect.stringContaining("[paris-ile-de-france-france]") as string,
      error: null,
    });
    const unknown = await socket.step({ tool_name: "fly" });
    expect(unknown?.data).toMatchObject({
      observation: { tool_name: "fly", result: null, error: { error_type: "tool_not_found" } },
      reward: null,
      done: false,
    });
    const wrong = await socket.step({ tool_name: "respond", arguments: { words: 1 } });
    expect(wrong?.data).toMatchObject({ observation: { error: { error_type: "invalid_args" } } });
    const answer = { tool_name: "respond", arguments: { text: "<answer>x</answer>" } };
    expect((await socket.step(answer))?.data).toMatchObject({
      observation: { tool_name: "respond", stop_reason: "end", scores: { exact: 0, toolUse: 1 } },
      reward: 0,
      done: true,
    });
  });

  test("ends an episode whose model only calls tools that there are not", async () => {
    const { open } = await start([wikiSearch({ maxTurns: 3 })]);
    const socket = await open();
    await socket.reset();
    const dones: unknown[] = [];
    for (let turn = 0; turn < 4; turn += 1)
      dones.push((await socket.step({ tool_name: "fly" }))?.data.done);
    expect(dones).toEqual([false, false, true, true]);
  });

  test("takes text as a call of respond, and what clients made of text that looks like JSON", async () => {
    const { open } = await start([patient({ cancelled: 0, closed: 0 })]);
    const socket = await open();
    const listed = await socket.step({ type: "list_tools" });
    expect(listed?.data.observation).toMatchObject({ tools: [{ name: "respond" }] });
    await socket.reset();
    const call = {
      type: "call_tool",
      tool_name: "respond",
      arguments: { text: "b" },
      metadata: {},
    };
    expect(await socket.step(call)).toEqual(
      observed({ tool_name: "respond", result: "You said b.", error: null }),
    );
    expect(await socket.step({ text: 5 })).toEqual(observed({ text: "You said 5." }));
    expect(await socket.step({ text: ["x"] })).toEqual(observed({ text: 'You said ["x"].' }));
  });

  test("serves what came at once in order, however much", async () => {
    const { open } = await start([patient({ cancelled: 0, closed: 0 })]);
    const socket = await open();
    const said = Array.from({ length: 300 }, (_, index) => String(index));
    socket.send({ type: "reset" });
    for (const text of said) socket.send({ type: "step", data: { text } });
    await socket.next();
    for (const text of said)
      expect((await socket.next())?.data.observation).toEqual({ text: `You said ${text}.` });
  });

  test("that closes in the middle of a step cancels it and ends the session", async () => {
    const seen = { cancelled: 0, closed: 0 };
    const { open } = await start([patient(seen)], { sessions: 1 });
    const socket = await open();
    await socket.reset();
    socket.send({ type: "step", data: { text: "wait" } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.socket.terminate();
    await until(() => seen.closed === 1);
    expect(seen.cancelled).toBe(1);
    const next = await open();
    expect(await next.reset()).toEqual(observed({ text: "Wait." }));
  });

  test("is closed by a close frame, and its session ends", async () => {
    const seen = { cancelled: 0, closed: 0 };
    const { open } = await start([patient(seen)]);
    const socket = await open();
    await socket.reset();
    socket.send({ type: "close" });
    socket.send({ type: "state" });
    expect(await socket.closed).toBe(1000);
    await until(() => seen.closed === 1);
  });

  test("is closed when its session was silent for too long, but a ping is not silence", async () => {
    const { open } = await start([patient({ cancelled: 0, closed: 0 })], { idleTimeout: 1000 });
    const [silent, pinging] = [await open(), await open()];
    const timer = setInterval(() => pinging.socket.ping(), 50);
    expect(await silent.closed).toBe(1001);
    await new Promise((resolve) => setTimeout(resolve, 500));
    clearInterval(timer);
    expect((await pinging.reset())?.type).toBe("observation");
  });

  test("is told when the server stops", async () => {
    const { open, close } = await start([patient({ cancelled: 0, closed: 0 })]);
    const socket = await open();
    await socket.reset();
    await close();
    expect(await socket.closed).toBe(1001);
  });

  test("needs the server's key and a path that there is", async () => {
    const { url } = await start([reverseText(), doubleCheck()], { apiKey: "opensesame" });
    const open = (path: string, key?: string) =>
      OpenenvSocket.open(url, path, key === undefined ? {} : { authorization: `Bearer ${key}` });
    await expect(open("/ws")).rejects.toThrow("401");
    await expect(open("/ws", "wrong")).rejects.toThrow("401");
    await expect(open("/elsewhere/ws", "opensesame")).rejects.toThrow("404");
    await expect(open("/", "opensesame")).rejects.toThrow("404");
    const socket = await open("/Double-Check/ws/", "opensesame");
    closing.push(socket);
    expect((await socket.reset())?.type).toBe("observation");
  });
});

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
}
