import { defineEnvironment } from "@envs/core";
import doubleCheck from "@envs/double-check";
import reverseText from "@envs/reverse-text";
import tictactoe from "@envs/tictactoe";
import wikiSearch from "@envs/wiki-search";
import { describe, expect, test } from "vitest";

import { serve } from "../src/index.ts";
import { answering, call, message, nemoClient, output, rowOf } from "./support/nemo-client.ts";
import { playCore } from "./support/play-core.ts";

const articles = {
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
  test("plays a game by the tool respond and has the reward that core gives", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const agent = nemoClient(server, "tictactoe");
    const row = rowOf(2);
    const seeded = await agent.post("seed_session", row);
    expect(seeded.json).toEqual({});
    expect(seeded.cookie).toMatch(/^session=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/u);

    const replies = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((cell) => `<move>${cell}</move>`);
    const played: string[] = [];
    const items = [];
    for (const text of replies) {
      const answer = await agent.post("respond", { text });
      expect(answer).toMatchObject({ status: 200, type: "text/plain; charset=utf-8" });
      played.push(text);
      items.push(call(`c${played.length}`, "respond", { text }), output(`c${played.length}`, ""));
      if (answer.text.endsWith("The episode is over.")) break;
    }
    const response = answering(row, ...items, message("That was it."));
    const { reward, scores } = await playCore(tictactoe(), { index: 2 }, played);
    const verified = await agent.post("verify", response);
    expect(verified.json).toEqual({
      ...response,
      ...scores,
      reward,
      is_truncated: false,
      stop_reason: "end",
    });
    expect((await agent.post("respond", { text: "more" })).text).toBe("The episode is over.");
    expect((await agent.post("verify", answering(row, message("Other.")))).json).toMatchObject({
      reward,
    });
  });

  test("scores the reply to a single turn; the same twice, also at once", async () => {
    await using server = await serve([reverseText()], { port: 0, sessions: 1 });
    const { reward, scores } = await playCore(reverseText(), { index: 4 }, [
      "<reversed>no</reversed>",
    ]);
    for (let turn = 0; turn < 3; turn += 1) {
      const agent = nemoClient(server, "reverse-text");
      await agent.post("seed_session", rowOf(4));
      const body = answering(rowOf(4), message("<reversed>no</reversed>"));
      const both = await Promise.all([agent.post("verify", body), agent.post("verify", body)]);
      for (const { json } of [...both, await agent.post("verify", body)])
        expect(json).toMatchObject({ reward, ...scores, is_truncated: false });
    }
  });

  test("calls tools, then takes the last text as the answer", async () => {
    await using server = await serve([wikiSearch()], { port: 0 });
    const agent = nemoClient(server, "wiki-search");
    const row = rowOf(0, { split: "eval" });
    await agent.post("seed_session", row);
    const found = await agent.post("search", { query: "Paris", limit: null });
    expect(found).toMatchObject({ status: 200 });
    const core = await playCore(wikiSearch(), { index: 0, split: "eval" }, [
      articles,
      "<answer>Paris</answer>",
    ]);
    expect(found.text).toBe(core.completion.find(({ role }) => role === "tool")?.content);
    const verified = await agent.post(
      "verify",
      answering(
        row,
        call("1", "search", { query: "Paris" }),
        output("1", found.text),
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
        message("<answer>Paris</answer>"),
      ),
    );
    expect(verified.json).toMatchObject({ reward: core.reward, ...core.scores, toolUse: 1 });
  });

  test("tells the model what is wrong with its arguments", async () => {
    await using server = await serve([wikiSearch()], { port: 0 });
    const agent = nemoClient(server, "wiki-search");
    await agent.post("seed_session", rowOf(0));
    const { status, text } = await agent.post("search", { query: 7 });
    expect(status).toBe(200);
    expect(text).toMatch(/query/u);
  });

  test("that a limit ended is truncated: its last call was never made", async () => {
    await using server = await serve([tictactoe()], { port: 0 });
    const agent = nemoClient(server, "tictactoe");
    await agent.post("seed_session", rowOf(0));
    const row = answering(rowOf(0), message("I go"), call("1", "respond", { text: "<move>1" }));
    expect((await agent.post("verify", row)).json).toMatchObject({
      is_truncated: true,
      stop_reason: "turns",
      turns: 0,
    });
  });

  test("takes nothing as an empty reply", async () => {
    await using server = await serve([reverseText()], { port: 0 });
    const agent = nemoClient(server, "reverse-text");
    await agent.post("seed_session", rowOf(0));
    expect((await agent.post("verify", answering(rowOf(0)))).json).toMatchObject({
      stop_reason: "end",
      reward: (await playCore(reverseText(), { index: 0 }, [""])).reward,
    });
  });

  test("starts again where a cookie is sent with another row, under the same cookie", async () => {
    await using server = await serve([doubleCheck()], { port: 0, sessions: 1 });
    const agent = nemoClient(server, "double-check");
    const first = await agent.post("seed_session", rowOf(0));
    await agent.post("respond", { text: "1" });
    const second = await agent.post("seed_session", rowOf(1));
    expect(second.cookie).toBe(first.cookie);
    expect((await agent.post("respond", { text: "1" })).text).toBe("Are you sure?");
  });

  test("draws what the seed of its row says", async () => {
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

describe("who gets it wrong is told so", () => {
  test("without a session", async () => {
    await using server = await serve([reverseText()], { port: 0 });
    const agent = nemoClient(server, "reverse-text");
    for (const [path, body] of [
      ["verify", answering(rowOf(0), message("x"))],
      ["step", answering(rowOf(0), message("x"))],
      ["respond", { text: "x" }],
    ] as const) {
      const none = await agent.post(path, body);
      expect(none.status).toBe(409);
      expect(none.json.detail).toMatch(/cookie `session` is missing\. Seed or reset/u);
    }
    agent.setCookie("session=made-up");
    const wrong = await agent.post("verify", answering(rowOf(0), message("x")));
    expect(wrong.status).toBe(410);
    expect(wrong.json.detail).toMatch(/has ended, was closed, or was idle/u);
  });

  test("with the cookie of another environment", async () => {
    await using server = await serve([reverseText(), doubleCheck()], { port: 0 });
    const one = nemoClient(server, "reverse-text");
    const { cookie } = await one.post("seed_session", rowOf(0));
    const other = nemoClient(server, "double-check");
    other.setCookie(cookie!.split(";")[0]);
    expect((await other.post("respond", { text: "x" })).status).toBe(410);
    expect((await one.post("respond", { text: "x" })).status).toBe(200);
  });

  test("about tools, examples, splits and rows that are not there", async () => {
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
    // None of these has taken the only place.
    expect((await agent.post("seed_session", rowOf(0))).status).toBe(200);
    expect((await agent.post("verify", rowOf(0))).status).toBe(422);
    expect((await agent.post("search", ["Paris"])).status).toBe(422);
    const late = nemoClient(server, "wiki-search");
    expect(await late.post("seed_session", rowOf(0))).toMatchObject({ status: 429 });
  });
});

test("means are told over all results, and for each task", async () => {
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

test("stored rollouts cannot be verified again", async () => {
  await using server = await serve([reverseText()], { port: 0 });
  const { json, type } = await nemoClient(server, "reverse-text").get("reverify_mode");
  expect(json).toBe("unsupported");
  expect(type).toMatch("application/json");
});
