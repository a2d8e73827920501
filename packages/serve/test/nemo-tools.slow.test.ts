import { defineEnvironment } from "@envs/core";
import doubleCheck from "@envs/double-check";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { rowWithOutput, call, message, nemoClient, output, rowOf } from "./support/nemo-client.ts";
import { playCore } from "./support/play-core.ts";

const searchMessage = {
  role: "assistant",
  content: "",
  tool_calls: [
    {
      id: "1",
      type: "function",
      function: { name: "search", arguments: '{"query":"Paris"}' },
    },
  ],
} as const;

describe("a session in tool style", () => {
  test("plays a game by the tool respond, with the reward of core", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const agent = nemoClient(server, "tictactoe");
    const row = rowOf(2);
    const seedResponse = await agent.post("seed_session", row);
    expect(seedResponse.json).toEqual({});
    expect(seedResponse.cookie).toMatch(/^session=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/u);

    const replies = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((cell) => `<move>${cell}</move>`);
    const sentReplies: string[] = [];
    const items = [];
    for (const text of replies) {
      const reply = await agent.post("respond", { text });
      expect(reply).toMatchObject({ status: 200, type: "text/plain; charset=utf-8" });
      sentReplies.push(text);
      items.push(
        call(`c${sentReplies.length}`, "respond", { text }),
        output(`c${sentReplies.length}`, ""),
      );
      if (reply.text.endsWith("The episode is over.")) break;
    }
    const response = rowWithOutput(row, ...items, message("That was it."));
    const { reward, scores } = await playCore(tictactoe(), { index: 2 }, sentReplies);
    const verified = await agent.post("verify", response);
    expect(verified.json).toEqual({
      ...response,
      ...scores,
      reward,
      is_truncated: false,
      stop_reason: "end",
    });
    expect((await agent.post("respond", { text: "more" })).text).toBe("The episode is over.");
    expect((await agent.post("verify", rowWithOutput(row, message("Other.")))).json).toMatchObject({
      reward,
    });
  });

  test("scores a single turn once, even if several requests verify it at the same time", async () => {
    await using server = await serve([reverseText()], { port: 0, sessions: 1 });
    const { reward, scores } = await playCore(reverseText(), { index: 4 }, [
      "<reversed>no</reversed>",
    ]);
    for (let turn = 0; turn < 3; turn += 1) {
      const agent = nemoClient(server, "reverse-text");
      await agent.post("seed_session", rowOf(4));
      const body = rowWithOutput(rowOf(4), message("<reversed>no</reversed>"));
      const concurrent = await Promise.all([
        agent.post("verify", body),
        agent.post("verify", body),
      ]);
      for (const { json } of [...concurrent, await agent.post("verify", body)])
        expect(json).toMatchObject({ reward, ...scores, is_truncated: false });
    }
  });

  test("calls tools, then uses the last text as the reply", async () => {
    await using server = await serve([wikiSearch()], { port: 0 });
    const agent = nemoClient(server, "wiki-search");
    const row = rowOf(0, { split: "eval" });
    await agent.post("seed_session", row);
    const result = await agent.post("search", { query: "Paris", limit: null });
    expect(result).toMatchObject({ status: 200 });
    const core = await playCore(wikiSearch(), { index: 0, split: "eval" }, [
      searchMessage,
      "<answer>Paris</answer>",
    ]);
    expect(result.text).toBe(core.completion.find(({ role }) => role === "tool")?.content);
    const verified = await agent.post(
      "verify",
      rowWithOutput(
        row,
        call("1", "search", { query: "Paris" }),
        output("1", result.text),
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
        message("<answer>Paris</answer>"),
      ),
    );
    expect(verified.json).toMatchObject({ reward: core.reward, ...core.scores, redundantCalls: 0 });
  });

  test("returns invalid arguments to the model as text", async () => {
    await using server = await serve([wikiSearch()], { port: 0 });
    const agent = nemoClient(server, "wiki-search");
    await agent.post("seed_session", rowOf(0));
    const { status, text } = await agent.post("search", { query: 7 });
    expect(status).toBe(200);
    expect(text).toMatch(/query/u);
  });

  test("is truncated if its last call was not made", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const agent = nemoClient(server, "tictactoe");
    await agent.post("seed_session", rowOf(0));
    const row = rowWithOutput(rowOf(0), message("I go"), call("1", "respond", { text: "<move>1" }));
    expect((await agent.post("verify", row)).json).toMatchObject({
      is_truncated: true,
      stop_reason: "turns",
      replies: 0,
    });
  });

  test("treats an empty output as an empty reply", async () => {
    await using server = await serve([reverseText()], { port: 0 });
    const agent = nemoClient(server, "reverse-text");
    await agent.post("seed_session", rowOf(0));
    expect((await agent.post("verify", rowWithOutput(rowOf(0)))).json).toMatchObject({
      stop_reason: "end",
      reward: (await playCore(reverseText(), { index: 0 }, [""])).reward,
    });
  });

  test("restarts with another row under the same cookie", async () => {
    await using server = await serve([doubleCheck()], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "double-check");
    const first = await agent.post("seed_session", rowOf(0));
    await agent.post("respond", { text: "1" });
    const second = await agent.post("seed_session", rowOf(1));
    expect(second.cookie).toBe(first.cookie);
    expect((await agent.post("respond", { text: "1" })).text).toBe("Are you sure?");
  });

  test("draws random numbers with the seed of its row", async () => {
    const dice = defineEnvironment({
      name: "dice",
      dataset: () => [{ prompt: "Roll." }],
      respond: ({ random }) => `You rolled ${random.int(1e9)}.`,
      rubric: { none: () => 0 },
    });
    await using server = await serve([dice()], { port: 0 });
    const roll = async (seed: number) => {
      const agent = nemoClient(server, "dice");
      await agent.post("seed_session", rowOf(0, { seed }));
      return (await agent.post("respond", { text: "I roll." })).text;
    };
    const first = await roll(1);
    expect(first).toMatch(/^You rolled \d+\.$/u);
    expect(await roll(1)).toBe(first);
    expect(await roll(2)).not.toBe(first);
  });
});

describe("an invalid request is rejected", () => {
  test("if it has no session", async () => {
    await using server = await serve([reverseText()], { port: 0 });
    const agent = nemoClient(server, "reverse-text");
    for (const [path, body] of [
      ["verify", rowWithOutput(rowOf(0), message("x"))],
      ["step", rowWithOutput(rowOf(0), message("x"))],
      ["respond", { text: "x" }],
    ] as const) {
      const withoutCookie = await agent.post(path, body);
      expect(withoutCookie.status).toBe(409);
      expect(withoutCookie.json.detail).toMatch(/cookie `session` is missing\. Seed or reset/u);
    }
    agent.setCookie("session=made-up");
    const wrongCookie = await agent.post("verify", rowWithOutput(rowOf(0), message("x")));
    expect(wrongCookie.status).toBe(410);
    expect(wrongCookie.json.detail).toMatch(/has ended, was closed, or was idle/u);
  });

  test("if its cookie belongs to another environment", async () => {
    await using server = await serve([reverseText(), doubleCheck()], { port: 0 });
    const one = nemoClient(server, "reverse-text");
    const { cookie } = await one.post("seed_session", rowOf(0));
    const other = nemoClient(server, "double-check");
    other.setCookie(cookie!.split(";")[0]);
    expect((await other.post("respond", { text: "x" })).status).toBe(410);
    expect((await one.post("respond", { text: "x" })).status).toBe(200);
  });

  test("if its tool, example, split or row does not exist", async () => {
    await using server = await serve([wikiSearch()], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "wiki-search");
    const seed = (metadata: unknown) =>
      agent.post("seed_session", { verifier_metadata: metadata }).then(({ status, json }) => {
        return [status, JSON.stringify(json.detail)] as const;
      });
    expect(await agent.post("missing", {})).toMatchObject({ status: 404 });
    expect((await agent.post("missing", {})).json.detail).toMatch(
      'no tool named "missing". Use one of: search, open, read, respond.',
    );
    expect(await seed({ index: 1e9 })).toEqual([
      400,
      expect.stringMatching(/no example 1000000000/u),
    ]);
    expect(await seed({ index: 0, split: "test" })).toEqual([
      400,
      expect.stringMatching(/Use one of: train, eval/u),
    ]);
    expect(await seed({ index: 0, id: "other" })).toEqual([
      400,
      expect.stringMatching(/not the example of this row. Export the rows again/u),
    ]);
    expect(await seed({ index: -1 })).toEqual([422, expect.stringMatching(/index/u)]);
    expect(await seed({ split: "eval" })).toEqual([422, expect.stringMatching(/index/u)]);
    expect(await seed(undefined)).toEqual([422, expect.stringMatching(/verifier_metadata/u)]);
    // Failed requests have not used the only session.
    expect((await agent.post("seed_session", rowOf(0))).status).toBe(200);
    expect((await agent.post("verify", rowOf(0))).status).toBe(422);
    expect((await agent.post("search", ["Paris"])).status).toBe(422);
    const late = nemoClient(server, "wiki-search");
    expect(await late.post("seed_session", rowOf(0))).toMatchObject({ status: 429 });
  });
});

test("aggregates means over all results, and for each task", async () => {
  await using server = await serve([reverseText()], { port: 0 });
  const agent = nemoClient(server, "reverse-text");
  const verify_responses = [
    { _ng_task_index: 0, _ng_rollout_index: 0, reward: 1, exact: 1, is_truncated: false },
    { _ng_task_index: 0, _ng_rollout_index: 1, reward: 0, exact: null, is_truncated: true },
    { _ng_task_index: 1, _ng_rollout_index: 0, reward: 0.5, exact: 0, is_truncated: false },
  ];
  const { json } = await agent.post("aggregate_metrics", { verify_responses });
  expect(json).toEqual({
    group_level_metrics: [
      { _ng_task_index: 0, "mean/reward": 0.5, "mean/exact": 1, "mean/is_truncated": 0.5 },
      { _ng_task_index: 1, "mean/reward": 0.5, "mean/exact": 0, "mean/is_truncated": 0 },
    ],
    agent_metrics: { "mean/reward": 0.5, "mean/exact": 0.5, "mean/is_truncated": 1 / 3 },
    key_metrics: { "mean/reward": 0.5 },
  });
  expect((await agent.post("aggregate_metrics", verify_responses)).json).toEqual(json);
  expect((await agent.post("aggregate_metrics", [])).json).toEqual({
    group_level_metrics: [],
    agent_metrics: {},
    key_metrics: {},
  });
  expect((await agent.post("aggregate_metrics", { results: 1 })).status).toBe(422);
});

test("does not support verifying stored rollouts", async () => {
  await using server = await serve([reverseText()], { port: 0 });
  const { json, type } = await nemoClient(server, "reverse-text").get("reverify_mode");
  expect(json).toBe("unsupported");
  expect(type).toMatch("application/json");
});
