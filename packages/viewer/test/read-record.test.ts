import { isReadable } from "@envs/records";
import { describe, expect, test } from "vitest";

import type { ViewedRollout } from "../src/record/rollout.ts";
import { summarizeRollout } from "../src/record/summarize.ts";
import { viewRecord } from "../src/record/view-record.ts";
import { episode, row, sample } from "./records.ts";

function read(record: unknown): ViewedRollout {
  const rollouts = viewRecord(JSON.stringify(record));
  if (!isReadable(rollouts)) throw new Error(rollouts.problem);
  return rollouts[0]!;
}

function problem(text: string): string {
  const rollouts = viewRecord(text);
  return isReadable(rollouts) ? "none" : rollouts.problem;
}

describe("a row of results.jsonl", () => {
  test("has its conversation, with thinking apart from the text and turns on replies", () => {
    const { messages, promptLength } = read(row);
    expect(promptLength).toBe(2);
    expect(messages.map(({ turn }) => turn)).toEqual([undefined, undefined, 0, undefined, 1]);
    expect(messages[2]!.parts).toEqual([{ type: "thinking", text: "Search first." }]);
    expect(messages[2]!.toolCalls).toEqual([
      { id: "c1", name: "search", arguments: '{"query":"it"}' },
    ]);
    expect(messages[3]).toMatchObject({ role: "tool", name: "search" });
  });

  test("has the calls of sub-models with their turn, what they were asked, and the reply", () => {
    const asked = {
      turn: 0,
      sub_model: "small",
      messages: [{ role: "user", content: "Where?" }],
      message: { role: "assistant", content: "Oslo" },
      finish_reason: "stop",
      usage: { input_tokens: 3, output_tokens: 1 },
      model: { start: 1, end: 2.5 },
    };
    const { branches } = read({ ...row, branches: [asked, { ...asked, turn: null }] });
    expect(branches).toMatchObject([
      {
        turn: 0,
        subModel: "small",
        messages: [{ role: "user" }, { role: "assistant" }],
        seconds: 1.5,
      },
      { turn: undefined, usage: { inputTokens: 3, outputTokens: 1 }, isOverflow: false },
    ]);
    expect(read(row).branches).toBeUndefined();
  });

  test("has the calls of an agent with their whole conversations", () => {
    const span = { start: 1, end: 2 };
    const call = { dialect: "chat", requested_model: "gpt", model: span };
    const title = {
      ...call,
      after: 1,
      messages: [{ role: "user", content: "Name this." }],
      reply: 6,
      message: { role: "assistant", content: "Search" },
    };
    const itself = { ...call, after: 1, messages: [], reply: 2 };
    const continued = { ...call, after: 6, messages: [], reply: 2 };
    const trajectory = [{ calls: [title, itself] }, { calls: [continued] }];
    const { branches, agentCalls } = read({ ...row, trajectory });
    expect(agentCalls).toBe(3);
    expect(
      branches?.map(({ kind, turn, messages }) => [kind, turn, messages.map(({ role }) => role)]),
    ).toEqual([
      ["agent", 0, ["system", "user", "user", "assistant"]],
      ["agent", 0, ["system", "user", "assistant"]],
      ["agent", 1, ["system", "user", "user", "assistant", "assistant"]],
    ]);
    const plain = read({ ...row, trajectory: [{ calls: [itself] }] });
    expect([plain.branches, plain.agentCalls]).toEqual([undefined, 1]);
    const failed = read({ ...row, trajectory: [{}, {}], unfinished_calls: [title] });
    expect(failed.branches).toMatchObject([{ kind: "agent", turn: 2 }]);
  });

  test("has its seat, and the sides of other seats", () => {
    const side = {
      model: "gpt",
      prompt: [{ role: "user", content: "You sit on the right." }],
      completion: [{ role: "assistant", content: "Left." }],
      reward: -1,
    };
    const { seat, otherSeats } = read({ ...row, seat: "left", other_seats: { right: side } });
    expect(seat).toBe("left");
    expect(otherSeats).toMatchObject([
      {
        name: "right",
        model: "gpt",
        reward: -1,
        messages: [{ role: "user" }, { role: "assistant" }],
      },
    ]);
    expect(read(row).otherSeats).toBeUndefined();
  });

  test("has tokens, time and log-probabilities by turn", () => {
    const { turns } = read(row);
    expect(turns[0]).toMatchObject({
      usage: { inputTokens: 10, outputTokens: 8 },
      modelSeconds: 0.5,
    });
    expect(turns[0]!.tokens.map(({ id, logprob }) => [id, logprob])).toEqual([
      [5, -0.1],
      [6, -2.3],
    ]);
    expect(turns[1]!.tokens).toEqual([]);
  });

  test("is failed if it has no reward, even without an error", () => {
    expect(read({ ...row, reward: null })).toMatchObject({
      status: "failed",
      reward: null,
      error: { message: expect.stringContaining("neither a reward nor an error") },
    });
  });

  test("has the feedback of its scores, and what tools, judges and failed attempts took", () => {
    const [name = ""] = Object.keys(row.metrics);
    const viewed = read({
      ...row,
      feedback: { [name]: "The reply names the wrong city." },
      tools: { search: { calls: 3, errors: 1, seconds: 0.25 } },
      judge_usage: { "gpt-5-mini": { calls: 2, cached: 1, input_tokens: 90, output_tokens: 4 } },
      attempts: 2,
      earlier_attempts: [{ error: { code: "timeout", message: "Too late." } }],
    });
    expect(viewed.scores[0]).toMatchObject({
      name,
      explanation: "The reply names the wrong city.",
    });
    expect(viewed).toMatchObject({
      tools: [{ name: "search", calls: 3, errors: 1, seconds: 0.25 }],
      judges: [{ name: "gpt-5-mini", calls: 2, cached: 1, usage: { inputTokens: 90 } }],
      earlierErrors: [{ code: "timeout", message: "Too late." }],
    });
    expect(summarizeRollout(viewed, { id: "1", rollout: 0 })).toMatchObject({
      tools: { search: { calls: 3, errors: 1, seconds: 0.25 } },
      judge: { calls: 2, inputTokens: 90, outputTokens: 4 },
    });
  });

  test("has the code of this project for an error class of verifiers", () => {
    const error = { error: "ToolCallError", error_chain_str: "ToolCallError -> KeyError" };
    expect(read({ ...row, reward: 0, error }).error).toEqual({
      code: "tool",
      message: "ToolCallError",
      details: ["ToolCallError -> KeyError"],
    });
  });

  test("shows a picture and names a part of an unknown type", () => {
    const url = "data:image/png;base64,AAAA";
    const content = [
      { type: "image_url", image_url: { url } },
      { type: "input_audio", data: "…" },
    ];
    const { messages } = read({ ...row, prompt: [{ role: "user", content }] });
    expect(messages[0]!.parts).toEqual([
      { type: "image", url },
      { type: "text", text: "[input_audio]" },
    ]);
  });

  test("shows audio and files beside the record", () => {
    const reference = `media/${"a".repeat(64)}.wav`;
    const content = [
      { type: "input_audio", input_audio: { data: reference, format: "wav" } },
      { type: "input_audio", input_audio: { data: "AAAA", format: "mp3" } },
      { type: "file", file: { file_data: "data:text/plain;base64,AAAA", filename: "a.txt" } },
    ];
    const { messages } = read({ ...row, prompt: [{ role: "user", content }] });
    expect(messages[0]!.parts).toEqual([
      { type: "audio", url: reference },
      { type: "audio", url: "data:audio/mp3;base64,AAAA" },
      { type: "file", url: "data:text/plain;base64,AAAA", name: "a.txt" },
    ]);
  });

  test("shows the reply of verifiers' judge at the judge's score", () => {
    const metrics = { exact: 0, judge_reward: 1 };
    const { scores } = read({ ...row, metrics, judge_response: { prompt: "Yes, correct." } });
    expect(scores.map(({ name, explanation }) => [name, explanation])).toEqual([
      ["exact", undefined],
      ["judge_reward", "Yes, correct."],
    ]);
  });

  test("is read with NaN and Infinity, which Python writes", () => {
    const text = JSON.stringify({ ...row, answer: "NaN \\ Infinity" }).replace(
      '"reward":1.2',
      '"reward":NaN',
    );
    const rollouts = viewRecord(text);
    expect(isReadable(rollouts) && rollouts[0]).toMatchObject({
      status: "failed",
      expected: "NaN \\ Infinity",
    });
  });
});

describe("an episode of verifiers 0.4", () => {
  test("is the conversation of its last branch", () => {
    const { messages, promptLength, turns } = read(episode);
    expect(messages.map(({ parts }) => parts.map((part) => "text" in part && part.text))).toEqual([
      ["1+1?"],
      ["Again: 1+1?"],
      ["one and one", "2"],
    ]);
    expect(promptLength).toBe(2);
    expect(turns[0]).toMatchObject({ finish: "stop", modelSeconds: 0.5, usage: { cost: 0.002 } });
    expect(turns[0]!.tokens).toMatchObject([{ id: 5, logprob: -0.2, advantage: 1 }]);
  });

  test("has the weighted sum of its rewards, and null for one that was not scored", () => {
    const { reward, scores, expected } = read(episode);
    expect(reward).toBe(2);
    expect(scores.map(({ name, value, weight }) => [name, value, weight])).toEqual([
      ["right", 1, 2],
      ["short", null, 1],
      ["turns", 1, 0],
    ]);
    expect(expected).toBe("2");
  });

  test("is one rollout for each of several agents", () => {
    const [trace] = episode.traces;
    const judge = { ...trace, agent: { name: "judge" } };
    const rollouts = viewRecord(JSON.stringify({ ...episode, traces: [trace, judge] }));
    expect(isReadable(rollouts) && rollouts.map(({ example, key }) => [example, key])).toEqual([
      ["3 solver", "sum-3 solver"],
      ["3 judge", "sum-3 judge"],
    ]);
  });

  test("ends at a parent that is its own descendant", () => {
    const [trace] = episode.traces;
    const nodes = trace!.nodes.map((node, index) => ({ ...node, parent: (index + 1) % 4 }));
    expect(read({ ...episode, traces: [{ ...trace, nodes }] }).messages).toHaveLength(4);
  });
});

describe("a sample of Inspect", () => {
  test("has its attachments, reasoning, tool calls and tool errors in place", () => {
    const { messages } = read(sample);
    expect(messages[0]!.parts).toEqual([{ type: "text", text: "Name the river in the picture." }]);
    expect(messages[1]!.parts[0]).toEqual({ type: "thinking", text: "It flows through Basel." });
    expect(messages[1]!.toolCalls[0]).toMatchObject({
      name: "look_up",
      arguments: '{"name":"Rhine"}',
    });
    expect(messages[2]).toMatchObject({
      name: "look_up",
      isError: true,
      parts: [{ type: "text", text: "No reply in 10 s" }],
    });
  });

  test("has the extracted answer and the judge's explanation, and its letter as a number", () => {
    expect(read(sample)).toMatchObject({
      reward: 1,
      expected: "Rhine or Rhein",
      scores: [
        {
          name: "judge",
          value: 1,
          label: "C",
          answer: "Rhine",
          explanation: "The reply names the Rhine.",
        },
      ],
      usage: { inputTokens: 20, outputTokens: 5, cost: 0.01 },
    });
  });

  test("has the text and the alternatives of each token", () => {
    expect(read(sample).turns[0]!.tokens[0]).toMatchObject({
      text: "The",
      alternatives: [{ text: "The" }, { text: "Rhine", logprob: -3 }],
    });
  });

  test("has a row for each value of a score with several", () => {
    const scores = { graded: { value: { style: 3, truth: true }, explanation: "Good." } };
    expect(read({ ...sample, scores }).scores).toMatchObject([
      { name: "graded/style", value: 3, explanation: "Good." },
      { name: "graded/truth", value: 1, explanation: undefined },
    ]);
  });
});

describe("a record that is not a rollout", () => {
  test.each([
    ['{"example_id": 1, "prom', /^The record is cut/],
    ['{"example_id": 1,, }', /^The record is not JSON/],
    ["[1, 2]", /not an object/],
    ['{"name": "x"}', /no prompt/],
    ['{"traces": []}', /no traces/],
  ])("is reported with the reason: %s", (text, reason) => {
    expect(problem(text)).toMatch(reason);
  });

  test("does not throw for fields of any type", () => {
    const hostile = [null, 1, "x", [], {}, [[]], [null], { role: null }];
    for (const value of hostile)
      for (const name of Object.keys({ ...row, ...sample, ...episode }))
        for (const record of [row, sample, episode])
          expect(() => viewRecord(JSON.stringify({ ...record, [name]: value }))).not.toThrow();
  });
});
