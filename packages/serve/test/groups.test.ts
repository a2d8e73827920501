import { defineEnvironment } from "@envs/core";
import { isConfigError } from "@envs/core/engine";
import { describe, expect } from "vitest";

import { serve } from "../src/index.ts";
import contest from "./fixtures/contest.ts";
import { message, nemoClient, rowOf, rowWithOutput } from "./support/nemo-client.ts";
import { orsClient } from "./support/ors-client.ts";
import { test } from "./support/test-server.ts";

const replies = ["a", "bbb", "cc"];
/** The rewards of the replies as one group. */
const rewards = [0.1, 1.3, 0.2].map((reward) => expect.closeTo(reward) as number);
const threaded = { module: new URL("fixtures/contest.ts", import.meta.url).href };

/** Plays an episode over ORS, and returns its last result. */
async function play(url: string, id: string, { index = 0, text = "Hi." } = {}) {
  const client = orsClient({ url }, id);
  await client.post("/create", { split: "train", index });
  return client.call("/contest/call", "respond", { text });
}

describe("an environment that compares rollouts", () => {
  test("does not start without the size of a group", async () => {
    const starting = serve([contest()], { port: 0 });
    await expect(starting).rejects.toSatisfy(isConfigError);
    await expect(starting).rejects.toThrow(/contest .*\(best\).*--group-size.*\/score_group/u);
    await expect(serve([contest()], { port: 0, groupSize: 1 })).rejects.toThrow("at least 2");
  });

  test("has no reward at the end of one rollout", async ({ startServer }) => {
    const { url, openSocket } = await startServer([contest()], { groupSize: 3 });
    expect((await play(url, "alone")).output).toMatchObject({ reward: null, finished: true });
    const socket = await openSocket();
    await socket.reset();
    const last = await socket.step({ text: "Hi." });
    expect(last?.data).toMatchObject({ reward: null, done: true });
  });

  test("scores the sessions of a group together", async ({ startServer }) => {
    const { url } = await startServer([threaded], { groupSize: 3, processes: 2 });
    await Promise.all(replies.map((text) => play(url, text, { text })));
    const response = await orsClient({ url }).post("/contest/score_group", { sessions: replies });
    const { results } = response.json as { results: { session: string; reward: number }[] };
    expect(results.map(({ session }) => session)).toEqual(replies);
    expect(results.map(({ reward }) => reward)).toEqual(rewards);
    expect(results[1]).toMatchObject({ scores: { best: 1, length: 3, size: 3 } });
  });

  test("scores sockets by the ids that MCP gives them", async ({ startServer }) => {
    const { url, openSocket } = await startServer([contest()], { groupSize: 2 });
    const ids = await Promise.all(
      ["long", "no"].map(async (text) => {
        const socket = await openSocket("/contest/ws");
        const create = { jsonrpc: "2.0", id: 1, method: "openenv/session/create" };
        const created = await socket.request({ type: "mcp", data: create });
        await socket.reset({ index: 1 });
        await socket.step({ text });
        return (created!.data as { result: { session_id: string } }).result.session_id;
      }),
    );
    const response = await orsClient({ url }).post("/contest/score_group", { sessions: ids });
    expect(response.json).toMatchObject({ results: [{ reward: 1.4 }, { reward: 0.2 }] });
  });

  test("rejects groups of other examples, of running episodes and of twins", async ({
    startServer,
  }) => {
    const { url } = await startServer([contest()], { groupSize: 2 });
    const client = orsClient({ url });
    const score = async (...sessions: string[]) => {
      const { status, json } = await client.post("/contest/score_group", { sessions });
      return [status, (json as { detail: string }).detail];
    };
    await play(url, "one");
    await play(url, "two", { index: 1 });
    await orsClient({ url }, "running").post("/create", { split: "train", index: 0 });
    expect(await score("one", "two")).toEqual([422, expect.stringContaining("2 examples")]);
    expect(await score("one", "running")).toEqual([409, expect.stringContaining('"running"')]);
    expect(await score("one", "one")).toEqual([422, expect.stringContaining("twice")]);
    expect(await score("absent")).toEqual([409, expect.stringContaining('"absent"')]);
  });

  test("returns NeMo Gym's rewards once the cohort is complete", async ({ startServer }) => {
    const { url } = await startServer([threaded], { groupSize: 3, processes: 2 });
    const verify = async (index: number, text: string) => {
      const agent = nemoClient({ url }, "contest");
      await agent.post("seed_session", rowOf(index));
      return (await agent.post("verify", rowWithOutput(rowOf(index), message(text)))).json;
    };
    const cohorts = await Promise.all(
      [0, 1].map((index) => Promise.all(replies.map((text) => verify(index, text)))),
    );
    for (const results of cohorts) {
      expect(results.map(({ reward }) => reward)).toEqual(rewards);
      expect(results[0]).toMatchObject({ best: 0, length: 1, size: 3 });
    }
  });

  test("fails a rollout whose session closes before its cohort is complete", async ({
    startServer,
  }) => {
    const { url } = await startServer([contest()], { groupSize: 2, idleTimeout: 200 });
    const agent = nemoClient({ url }, "contest");
    await agent.post("seed_session", rowOf(0));
    const { status, text } = await agent.post("verify", rowWithOutput(rowOf(0), message("Hi.")));
    expect([status, text]).toEqual([410, expect.stringContaining("--group-size")]);
  });
});

test("a metric that compares rollouts is null for a rollout alone", async ({ startServer }) => {
  const define = defineEnvironment({
    name: "measured",
    dataset: () => [{ prompt: "Write." }],
    episode: { maxTurns: 1 },
    rubric: { length: ({ reply }) => reply.length },
    metrics: { size: { group: (rollouts) => rollouts.map(() => rollouts.length) } },
  });
  const { openSocket } = await startServer([define()]);
  const socket = await openSocket();
  await socket.reset();
  const last = await socket.step({ text: "Hi." });
  expect(last?.data).toMatchObject({
    reward: 3,
    observation: { scores: { length: 3, size: null } },
  });
});
