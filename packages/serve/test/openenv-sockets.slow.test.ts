import doubleCheck from "@envs/double-check";
import reverseText from "@envs/reverse-text";
import wikiSearch from "@envs/wiki-search";
import { describe, expect } from "vitest";

import { patient } from "./fixtures/patient.ts";
import { until } from "./support/openenv-socket.ts";
import { test } from "./support/test-server.ts";

const observationFrame = (observation: object, reward: number | null = null) => ({
  type: "observation",
  data: { observation, reward, done: reward !== null },
});

describe("a socket", () => {
  test("returns the reward and the scores only with the last observation", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
    expect(await socket.reset()).toEqual(observationFrame({ text: "Wait." }));
    expect(await socket.step({ text: "a" })).toEqual(observationFrame({ text: "You said a." }));
    const ending = { stop_reason: "end", is_truncated: false, scores: { fine: 1, never: null } };
    expect(await socket.step({ text: "end" })).toEqual(
      observationFrame({ text: "Over.", ...ending }, 1),
    );
    const after = await socket.step({ text: "end" });
    expect(after?.data).toMatchObject({ reward: null, done: true });
    expect(await socket.request({ type: "state" })).toMatchObject({
      type: "state",
      data: { step_count: 2, done: true, reward: 1, task: { split: "train", index: 0 } },
    });
    expect(await socket.reset({ episode_id: "again" })).toEqual(
      observationFrame({ text: "Wait." }),
    );
    expect(await socket.request({ type: "state" })).toMatchObject({
      data: { episode_id: "again", step_count: 0, done: false, reward: null },
    });
  });

  test("returns the system prompt apart from the text at a reset", async ({ startServer }) => {
    const { openSocket } = await startServer([reverseText()]);
    const socket = await openSocket();
    const opening = await socket.reset({ index: 0 });
    expect(opening?.data.observation).toEqual({
      system_prompt: expect.stringContaining("reverse") as string,
      text: expect.any(String) as string,
    });
  });

  test("starts the example that an index, a seed or a task selects, or else the next one", async ({
    startServer,
  }) => {
    const { url, openSocket } = await startServer([doubleCheck()]);
    const socket = await openSocket();
    const text = async (data: object) => {
      const opening = await socket.reset(data);
      return (opening?.data.observation as { text: string } | undefined)?.text;
    };
    const [first, second] = [await text({}), await text({})];
    expect(first).not.toBe(second);
    const { data } = (await socket.request({ type: "state" }))!;
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

  test("lists the tools before a reset, and calls them", async ({ startServer }) => {
    const { openSocket } = await startServer([wikiSearch()]);
    const socket = await openSocket();
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
    const invalid = await socket.step({ tool_name: "respond", arguments: { words: 1 } });
    expect(invalid?.data).toMatchObject({ observation: { error: { error_type: "invalid_args" } } });
    const answer = { tool_name: "respond", arguments: { text: "<answer>x</answer>" } };
    expect((await socket.step(answer))?.data).toMatchObject({
      observation: {
        tool_name: "respond",
        stop_reason: "end",
        scores: { exact: 0, redundantCalls: 0 },
      },
      reward: 0,
      done: true,
    });
  });

  test("ends an episode after maxTurns calls of unknown tools", async ({ startServer }) => {
    const { openSocket } = await startServer([wikiSearch({ maxTurns: 3 })]);
    const socket = await openSocket();
    await socket.reset();
    const doneFlags: unknown[] = [];
    for (let turn = 0; turn < 4; turn += 1)
      doneFlags.push((await socket.step({ tool_name: "fly" }))?.data.done);
    expect(doneFlags).toEqual([false, false, true, true]);
  });

  test("accepts text as a call of respond, and text that the client parsed as JSON", async ({
    startServer,
  }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
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
      observationFrame({ tool_name: "respond", result: "You said b.", error: null }),
    );
    expect(await socket.step({ text: 5 })).toEqual(observationFrame({ text: "You said 5." }));
    for (const object of [{ answer: 5 }, { text: "a", why: "b" }, { type: "move", to: [1] }])
      expect(await socket.step(object)).toEqual(
        observationFrame({ text: `You said ${JSON.stringify(object)}.` }),
      );
    expect(await socket.step({ text: ["x"] })).toEqual(
      observationFrame({ text: 'You said ["x"].' }),
    );
  });

  test("answers hundreds of queued frames in order", async ({ startServer }) => {
    const { openSocket } = await startServer([patient()]);
    const socket = await openSocket();
    const replies = Array.from({ length: 300 }, (_, index) => String(index));
    socket.send({ type: "reset" });
    for (const text of replies) socket.send({ type: "step", data: { text } });
    await socket.next();
    for (const text of replies)
      expect((await socket.next())?.data.observation).toEqual({ text: `You said ${text}.` });
  });

  test("cancels its step and closes its session when the client disconnects", async ({
    startServer,
  }) => {
    const counts = { cancelled: 0, closed: 0 };
    const { openSocket } = await startServer([patient(counts)], { sessions: 1 });
    const socket = await openSocket();
    await socket.reset();
    socket.send({ type: "step", data: { text: "wait" } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.socket.terminate();
    await until(() => counts.closed === 1);
    expect(counts.cancelled).toBe(1);
    const next = await openSocket();
    expect(await next.reset()).toEqual(observationFrame({ text: "Wait." }));
  });

  test("closes with its session after a close frame", async ({ startServer }) => {
    const counts = { cancelled: 0, closed: 0 };
    const { openSocket } = await startServer([patient(counts)]);
    const socket = await openSocket();
    await socket.reset();
    socket.send({ type: "close" });
    socket.send({ type: "state" });
    expect(await socket.closed).toBe(1000);
    await until(() => counts.closed === 1);
  });

  test("is closed when it is idle, unless it sends pings", async ({ startServer }) => {
    const { openSocket } = await startServer([patient()], { idleTimeout: 1000 });
    const [idle, pinging] = [await openSocket(), await openSocket()];
    const timer = setInterval(() => pinging.socket.ping(), 50);
    expect(await idle.closed).toBe(1001);
    await new Promise((resolve) => setTimeout(resolve, 500));
    clearInterval(timer);
    expect((await pinging.reset())?.type).toBe("observation");
  });

  test("is closed with code 1001 when the server closes", async ({ startServer }) => {
    const { openSocket, close } = await startServer([patient()]);
    const socket = await openSocket();
    await socket.reset();
    await close();
    expect(await socket.closed).toBe(1001);
  });

  test("requires the server's key and a valid path", async ({ startServer }) => {
    const { openSocket } = await startServer([reverseText(), doubleCheck()], {
      apiKey: "opensesame",
    });
    const open = (path: string, key?: string) =>
      openSocket(path, key === undefined ? {} : { authorization: `Bearer ${key}` });
    await expect(open("/ws")).rejects.toThrow("401");
    await expect(open("/ws", "wrong")).rejects.toThrow("401");
    await expect(open("/elsewhere/ws", "opensesame")).rejects.toThrow("404");
    await expect(open("/", "opensesame")).rejects.toThrow("404");
    const socket = await open("/Double-Check/ws/", "opensesame");
    expect((await socket.reset())?.type).toBe("observation");
  });
});

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
}
