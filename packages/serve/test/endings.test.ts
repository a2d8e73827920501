import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient, type Seen } from "./fixtures/patient.ts";
import { expectNoLeak } from "./support/leaks.ts";
import { answering, message, nemoClient, rowOf } from "./support/nemo-client.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";

const fresh = (): Seen => ({ cancelled: 0, closed: 0 });
const first = { split: "train", index: 0 };
const waiting = { name: "respond", input: { text: "wait" } };
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

describe("thousands of resets leave nothing behind", () => {
  test("of one socket", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 1 });
    await using socket = await OpenenvSocket.open(server.url);
    for (let round = 0; round < 3000; round += 1) {
      expect((await socket.reset())?.type).toBe("observation");
      if (round % 3 === 0) await socket.step({ text: "a" });
    }
    expect(seen).toEqual({ cancelled: 0, closed: 2999 });
  });

  test("of one agent of NeMo Gym", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "patient");
    for (let round = 0; round < 1000; round += 1)
      expect((await agent.post("reset", rowOf(0))).status).toBe(200);
    expect(seen).toEqual({ cancelled: 0, closed: 999 });
  });

  test("of sessions of ORS, each created and deleted", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 1 });
    for (let round = 0; round < 1000; round += 1) {
      const { post } = orsClient(server, `session ${round}`);
      expect((await post("/create", first)).status).toBe(200);
      expect((await post("/delete")).status).toBe(200);
    }
    expect(seen).toEqual({ cancelled: 0, closed: 1000 });
  });

  test("of sockets that come and go", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 50 });
    for (let round = 0; round < 20; round += 1) {
      const sockets = await Promise.all(
        Array.from({ length: 50 }, () => OpenenvSocket.open(server.url)),
      );
      const answers = await Promise.all(sockets.map((socket) => socket.reset()));
      expect(answers.map((answer) => answer?.type)).toEqual(answers.map(() => "observation"));
      for (const socket of sockets) await socket[Symbol.asyncDispose]();
      await until(() => seen.closed === (round + 1) * 50);
    }
  });
});

describe("in the middle of a step", () => {
  test("a session of ORS is deleted: the call ends with an error, and its place is free", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 1 });
    const { post } = orsClient(server, "one");
    await post("/create", first);
    const call = post("/patient/call", waiting);
    await pause(50);
    expect((await post("/delete")).status).toBe(200);
    expect((await call).events.at(-1)).toMatchObject({ event: "error" });
    expect(seen).toEqual({ cancelled: 1, closed: 1 });
    expect((await orsClient(server, "two").post("/create", first)).status).toBe(200);
  });

  test("an agent of NeMo Gym closes: the call is told, and its place is free", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "patient");
    await agent.post("reset", rowOf(0));
    const step = agent.post("step", answering(rowOf(0), message("wait")));
    await pause(50);
    await agent.post("close");
    expect((await step).status).toBe(410);
    expect(seen).toEqual({ cancelled: 1, closed: 1 });
    expect((await nemoClient(server, "patient").post("reset", rowOf(0))).status).toBe(200);
  });

  test("a client goes that stepped over HTTP: the step is cancelled, and its place is free", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 1 });
    const gone = new AbortController();
    const step = fetch(`${server.url}/step`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action: { text: "wait" } }),
      signal: gone.signal,
    });
    await pause(100);
    gone.abort();
    await expect(step).rejects.toThrow("aborted");
    await until(() => seen.closed === 1);
    expect(seen.cancelled).toBe(1);
    await using socket = await OpenenvSocket.open(server.url);
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("a session that nobody speaks for any more is given up, however long its step takes", async () => {
    const seen = fresh();
    await using server = await serve([patient(seen)], { port: 0, sessions: 1, idleTimeout: 500 });
    const agent = nemoClient(server, "patient");
    await agent.post("reset", rowOf(0));
    const step = agent.post("step", answering(rowOf(0), message("wait")));
    await pause(200);
    expect(seen.closed).toBe(0);
    expect((await step).status).toBe(410);
    expect(seen).toEqual({ cancelled: 1, closed: 1 });
  });

  test("the server stops: whoever waits is told, all episodes end, and nobody comes in", async () => {
    const seen = fresh();
    const server = await serve([patient(seen)], { port: 0 });
    const agent = nemoClient(server, "patient");
    await agent.post("reset", rowOf(0));
    const { post } = orsClient(server, "one");
    await post("/create", first);
    await using socket = await OpenenvSocket.open(server.url);
    await socket.reset();
    socket.send({ type: "step", data: { text: "wait" } });
    const step = agent.post("step", answering(rowOf(0), message("wait")));
    const call = post("/patient/call", waiting);
    await pause(100);
    await server.close();
    expect((await step).status).toBe(410);
    const { events, text } = await call;
    expect(events.at(-1)).toMatchObject({ event: "error" });
    expectNoLeak(text);
    expect(await socket.closed).toBe(1001);
    expect(seen).toEqual({ cancelled: 3, closed: 3 });
    await expect(fetch(`${server.url}/health`)).rejects.toThrow("fetch failed");
  });
});

test("several steps that end an episode together tell one reward", async () => {
  await using server = await serve([patient()], { port: 0 });
  const agent = nemoClient(server, "patient");
  await agent.post("reset", rowOf(0));
  const ends = Array.from({ length: 5 }, () =>
    agent.post("step", answering(rowOf(0), message("end"))),
  );
  const rewards = (await Promise.all(ends)).map(({ json }) => json.reward);
  expect(rewards.toSorted()).toEqual([0, 0, 0, 0, 1]);
});
