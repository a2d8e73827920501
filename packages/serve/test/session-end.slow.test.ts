import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { patient, type EpisodeCounts } from "./fixtures/patient.ts";
import { expectNoLeak } from "./support/leaks.ts";
import { rowWithOutput, message, nemoClient, rowOf } from "./support/nemo-client.ts";
import { OpenenvSocket, until } from "./support/openenv-socket.ts";
import { orsClient } from "./support/ors-client.ts";

const noEpisodes = (): EpisodeCounts => ({ cancelled: 0, closed: 0 });
const first = { split: "train", index: 0 };
const waitCall = { name: "respond", input: { text: "wait" } };
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

describe("the server closes all but the last episode after thousands of resets", () => {
  test("over one socket", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 1 });
    await using socket = await OpenenvSocket.open(server.url);
    for (let round = 0; round < 3000; round += 1) {
      expect((await socket.reset())?.type).toBe("observation");
      if (round % 3 === 0) await socket.step({ text: "a" });
    }
    expect(counts).toEqual({ cancelled: 0, closed: 2999 });
  });

  test("by one agent of NeMo Gym", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "patient");
    for (let round = 0; round < 1000; round += 1)
      expect((await agent.post("reset", rowOf(0))).status).toBe(200);
    expect(counts).toEqual({ cancelled: 0, closed: 999 });
  });

  test("over ORS, with a session for each", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 1 });
    for (let round = 0; round < 1000; round += 1) {
      const { post } = orsClient(server, `session ${round}`);
      expect((await post("/create", first)).status).toBe(200);
      expect((await post("/delete")).status).toBe(200);
    }
    expect(counts).toEqual({ cancelled: 0, closed: 1000 });
  });

  test("over thousands of sockets", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 50 });
    for (let round = 0; round < 20; round += 1) {
      const sockets = await Promise.all(
        Array.from({ length: 50 }, () => OpenenvSocket.open(server.url)),
      );
      const responses = await Promise.all(sockets.map((socket) => socket.reset()));
      expect(responses.map((response) => response?.type)).toEqual(
        responses.map(() => "observation"),
      );
      for (const socket of sockets) await socket[Symbol.asyncDispose]();
      await until(() => counts.closed === (round + 1) * 50);
    }
  });
});

describe("during a step", () => {
  test("deleting an ORS session fails the call, and frees the session", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 1 });
    const { post } = orsClient(server, "one");
    await post("/create", first);
    const call = post("/patient/call", waitCall);
    await pause(50);
    expect((await post("/delete")).status).toBe(200);
    expect((await call).events.at(-1)).toMatchObject({ event: "error" });
    expect(counts).toEqual({ cancelled: 1, closed: 1 });
    expect((await orsClient(server, "two").post("/create", first)).status).toBe(200);
  });

  test("closing a NeMo Gym session fails the step, and frees the session", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "patient");
    await agent.post("reset", rowOf(0));
    const step = agent.post("step", rowWithOutput(rowOf(0), message("wait")));
    await pause(50);
    await agent.post("close");
    expect((await step).status).toBe(410);
    expect(counts).toEqual({ cancelled: 1, closed: 1 });
    expect((await nemoClient(server, "patient").post("reset", rowOf(0))).status).toBe(200);
  });

  test("disconnecting an HTTP client cancels the step, and frees the session", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 1 });
    const controller = new AbortController();
    const step = fetch(`${server.url}/step`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ action: { text: "wait" } }),
      signal: controller.signal,
    });
    await pause(100);
    controller.abort();
    await expect(step).rejects.toThrow("aborted");
    await until(() => counts.closed === 1);
    expect(counts.cancelled).toBe(1);
    await using socket = await OpenenvSocket.open(server.url);
    expect((await socket.reset())?.type).toBe("observation");
  });

  test("a step that exceeds the time limit fails, although its client sends pings", async () => {
    const counts = noEpisodes();
    await using server = await serve([patient(counts)], { port: 0, sessions: 1, stepTimeout: 500 });
    const { post } = orsClient(server, "one");
    await post("/create", first);
    const pings = setInterval(() => void post("/ping"), 50);
    const { events, text } = await post("/patient/call", waitCall);
    clearInterval(pings);
    expect(events.at(-1)).toMatchObject({ event: "error" });
    expect(text).toContain("did not answer within 0.5 s");
    expect(counts).toEqual({ cancelled: 1, closed: 1 });
  });

  test("closing the server fails all steps, ends all episodes, and refuses connections", async () => {
    const counts = noEpisodes();
    const server = await serve([patient(counts)], { port: 0 });
    const agent = nemoClient(server, "patient");
    await agent.post("reset", rowOf(0));
    const { post } = orsClient(server, "one");
    await post("/create", first);
    await using socket = await OpenenvSocket.open(server.url);
    await socket.reset();
    socket.send({ type: "step", data: { text: "wait" } });
    const step = agent.post("step", rowWithOutput(rowOf(0), message("wait")));
    const call = post("/patient/call", waitCall);
    await pause(100);
    await server.close();
    expect((await step).status).toBe(410);
    const { events, text } = await call;
    expect(events.at(-1)).toMatchObject({ event: "error" });
    expectNoLeak(text);
    expect(await socket.closed).toBe(1001);
    expect(counts).toEqual({ cancelled: 3, closed: 3 });
    await expect(fetch(`${server.url}/health`)).rejects.toThrow("fetch failed");
  });
});

test("only one of several concurrent steps that end an episode returns the reward", async () => {
  await using server = await serve([patient()], { port: 0 });
  const agent = nemoClient(server, "patient");
  await agent.post("reset", rowOf(0));
  const steps = Array.from({ length: 5 }, () =>
    agent.post("step", rowWithOutput(rowOf(0), message("end"))),
  );
  const rewards = (await Promise.all(steps)).map(({ json }) => json.reward);
  expect(rewards.toSorted()).toEqual([0, 0, 0, 0, 1]);
});
